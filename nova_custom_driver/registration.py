"""The way in: how stock Nova finds a driver outside ``nova.virt``.

Nova imports ``"nova.virt." + compute_driver``, and ``nova.virt`` is a closed
package (``nova.virt.driver.load_compute_driver``).  Before that,
``nova-compute`` calls ``os_vif.initialize``, which loads every entry point of
the group ``os_vif``; this module is one.  Importing it makes
``nova.virt.nova_custom_driver``, and no other name, importable.  Nothing of
the driver itself is loaded before Nova asks for it.
"""

from collections.abc import Sequence
import importlib
import importlib.abc
import importlib.machinery
import sys
import types

from os_vif import plugin
from os_vif.objects import host_info
from os_vif.objects import instance_info as instance_info_object
from os_vif.objects import vif as vif_object

ALIAS = "nova.virt.nova_custom_driver"
TARGET = "nova_custom_driver.virt.driver"


class AliasFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes :data:`ALIAS` a module that shows the driver class."""

    def find_spec(
            self, fullname: str, path: Sequence[str] | None,
            target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != ALIAS:
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def exec_module(self, module: types.ModuleType) -> None:
        driver = importlib.import_module(TARGET)
        module.__dict__["CustomDriver"] = driver.CustomDriver


def register() -> None:
    """Make the driver importable under Nova's name; once is enough."""
    if not any(isinstance(finder, AliasFinder) for finder in sys.meta_path):
        sys.meta_path.append(AliasFinder())


class RegistrationPlugin(plugin.PluginBase):
    """An os-vif plug-in that knows no VIF type; see the module."""

    def describe(self) -> host_info.HostPluginInfo:
        return host_info.HostPluginInfo(
            plugin_name="nova_custom_driver", vif_info=[])

    def plug(self, vif: vif_object.VIFBase,
             instance_info: instance_info_object.InstanceInfo) -> None:
        raise NotImplementedError

    def unplug(self, vif: vif_object.VIFBase,
               instance_info: instance_info_object.InstanceInfo) -> None:
        raise NotImplementedError


register()
