"""The driver and the rooms it works with; see :mod:`nova_custom_driver`."""
