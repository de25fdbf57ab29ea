"""Which requirement is proved by which test.

``doc/source/requirements/*.md`` holds the rows, docstrings of tests name
those they prove ("guest-config D1-D3, D6; storage C2"), and
``doc/source/requirements/reasons.toml`` says why a row is not proved.
"""
