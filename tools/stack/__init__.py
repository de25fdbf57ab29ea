"""A whole OpenStack on one machine, for this driver; see ``__main__``.

What runs stands in ``services.toml``, what is done once in ``steps``, what
the services read in ``templates/``.  Only the standard library is needed:
the rest is installed into the state directory by :mod:`tools.stack.install`.
Modules that talk to the cloud (``cloud``) run with the Python there.

======================  ====================================================
``settings``            what a person can choose, and where things lie
``install``             Debian packages, the virtual environment, the driver
``configs``             templates to configuration files
``services``            ``services.toml``, as values
``keeper``              who keeps the processes
``supervisor``          keeps the processes: supervisord, by its XML-RPC
``systemd``             keeps the processes: units, where systemd runs
``ready``               when a service is ready
``steps``               what is done once: databases, keystone's catalog, ...
``plan``                services and steps, side by side in their order
``cloud``               networks, flavors, images: what a user finds
``guest``               an image of a guest with DHCP and ssh
``tempest``             OpenStack's tests of a cloud
======================  ====================================================
"""
