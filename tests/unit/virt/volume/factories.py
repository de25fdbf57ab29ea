"""Settings and connections; a test changes what it is about."""

from nova_custom_driver.spec import settings


def volume_settings(**changes):
    return settings.VolumeSettings(**{
        "root_helper": "sudo", "host": "here", "address": "192.0.2.1",
        **changes})


def connection(kind, **data):
    return {"driver_volume_type": kind, "serial": "v1", "data": data}
