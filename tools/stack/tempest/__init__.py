"""Tempest against the stack; see ``__main__``.

``tempest.conf``     the template of its configuration
``tests.toml``       which tests are meant, which are left out and why
``smoke.txt``        the tests that tell most in a quarter of an hour
``recorded.txt``     those that pass with the in-tree driver
"""
