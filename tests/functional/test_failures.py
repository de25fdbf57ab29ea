"""Whatever fails, nothing is left and Nova is told why."""

import contextlib
import pathlib
import subprocess
import threading
from unittest import mock

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.imagebackend import cache
from nova_custom_driver.imagebackend import config_drive
from nova_custom_driver.imagebackend import qemu_img
from nova_custom_driver.virt.host import domain
from nova_custom_driver.virt.host import hypervisor
from nova_custom_driver.virt.ops import device_metadata
from nova_custom_driver.virt.ops import instance_record
from nova_custom_driver.virt.ops import plan
from nova_custom_driver.virt.vif import plug
from tests.functional import base
from tests.functional import images


class Injected(nova_exception.NovaException):
    msg_fmt = "injected: %(step)s"


# What a spawn calls, in its order.  "after" fails once it was done, so that
# there is something to undo.
STEPS = (
    (plan, "make", "before"),
    (cache.BaseImageCache, "image", "before"),
    (qemu_img, "create_overlay", "before"),
    (qemu_img, "create_overlay", "after"),
    (config_drive, "build", "before"),
    (config_drive, "build", "after"),
    (plug.OsVifPlugger, "plug", "before"),
    (plug.OsVifPlugger, "plug", "after"),
    (device_metadata, "find", "before"),
    (hypervisor.LibvirtHypervisor, "define", "before"),
    (hypervisor.LibvirtHypervisor, "define", "after"),
    (domain.LibvirtDomain, "start", "before"),
    (domain.LibvirtDomain, "start", "after"),
    (instance_record, "register", "before"),
)


def failing(owner, name, when):
    """Patch ``owner.name`` to raise, before or after it has done its work."""
    original = getattr(owner, name)

    def call(*args, **kwargs):
        if when == "after":
            original(*args, **kwargs)
        raise Injected(step=f"{name} {when}")

    return mock.patch.object(owner, name, call)


class FailuresTest(base.ChainTestCase):
    """design 3: undo right after do; driver-contract 3.10."""

    options = {("scheduler", "max_attempts"): 1}

    def setUp(self):
        super().setUp()
        self.image = self.images.add(images.DIRECTORY / "guest.raw", "raw")
        self.flavor_id = self.flavor(swap=64)
        self.network = [{"uuid": self.neutron.network_1["id"]}]

    def test_a_failure_at_every_step_leaves_nothing(self):
        for owner, name, when in STEPS:
            with self.subTest(step=name, when=when), \
                    self.without_novas_own_cleaning(), \
                    failing(owner, name, when):
                server = self.boot(
                    self.image, flavor_id=self.flavor_id, config_drive=True,
                    networks=self.network, expect="ERROR")
                self.assertEqual([], self.leftovers())
                self.assertIn(f"injected: {name} {when}",
                              server["fault"]["details"])
            self.delete(server)

    def test_a_failed_download_leaves_nothing(self):
        """storage C8: the hash is not what Glance recorded."""
        bad = self.images.add(images.DIRECTORY / "guest.raw", "raw",
                              os_hash_value="0" * 64)
        with self.without_novas_own_cleaning():
            server = self.boot(bad, expect="ERROR")
        self.assertIn("hash", server["fault"]["message"])
        self.assertEqual([], self.leftovers())
        self.assertEqual(
            [], list(self.instances_path.glob("_base/*")))

    def test_an_image_that_lies_is_refused(self):
        """storage C8: format and Glance's word must agree."""
        liar = self.images.add(images.DIRECTORY / "guest.qcow2", "raw")
        server = self.boot(liar, expect="ERROR")
        self.assertIn("raw", server["fault"]["message"])
        self.assertEqual([], list(self.instances_path.glob("_base/*")))

    def test_an_image_with_a_backing_file_is_refused(self):
        path = self.instances_path / "state" / "evil.qcow2"
        path.parent.mkdir()
        subprocess.run(
            ["qemu-img", "create", "-q", "-f", "qcow2", "-u", "-F", "raw",
             "-b", "/etc/passwd", str(path), "1M"], check=True)
        server = self.boot(self.images.add(path, "qcow2"), expect="ERROR")
        self.assertIn("unacceptable", server["fault"]["message"])
        self.assertEqual([], list(self.instances_path.glob("_base/*")))

    def test_a_flavor_too_small_for_its_image(self):
        """Nova's API knows the file's size only, not the disk's."""
        path = self.instances_path / "state" / "large.qcow2"
        path.parent.mkdir()
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", str(path),
                        "2G"], check=True)
        with self.without_novas_own_cleaning():
            server = self.boot(self.images.add(path, "qcow2"), expect="ERROR")
        self.assertIn("Flavor's disk is too small",
                      server["fault"]["message"])
        self.assertEqual([], self.leftovers())

    def test_refusals_name_their_reason(self):
        """guest-config F1, G1, G9: before the host is changed."""
        for properties, words in (
                ({"hw_machine_type": "warp"}, "warp"),
                ({"hw_video_model": "gop"}, "gop"),
                ({"hw_sound_model": "ich9"}, "hw_sound_model")):
            with self.subTest(**properties), \
                    mock.patch.object(pathlib.Path, "mkdir",
                                      side_effect=AssertionError):
                image = self.images.add(
                    images.DIRECTORY / "guest.raw", "raw", **properties)
                server = self.boot(image, expect="ERROR")
                self.assertIn(words, str(server["fault"]))
            self.delete(server)

    def test_a_port_neutron_does_not_wire_in_time(self):
        """network W1, W2: fatal by default."""
        self.flags(vif_plugging_timeout=1)
        self.compute.manager.driver._stop.close()
        self.compute.manager.driver.init_host("compute")
        with self.without_novas_own_cleaning():
            server = self.boot(self.image, networks=[
                {"port": self.inactive_port()}], expect="ERROR")
        self.assertIn("1 s", str(server["fault"]))
        self.assertEqual([], self.leftovers())

    def test_the_guest_waits_for_neutron(self):
        """network W1: started paused, resumed by the event."""
        port = self.inactive_port()
        server = self.post(self.image, networks=[{"port": port}])
        self.wait_until(lambda: self.states() == [3], "a paused domain")
        self.api.create_server_external_events([{
            "name": "network-vif-plugged", "server_uuid": server["id"],
            "tag": port, "status": "completed"}])
        self.wait_for_status(server, "ACTIVE")
        self.assertEqual([1], self.states())

    def inactive_port(self):
        """Return the id of a new port that is not wired yet."""
        port = self.neutron.create_port({"port": {
            "network_id": self.neutron.network_1["id"]}})["port"]
        self.neutron._ports[port["id"]]["status"] = "DOWN"
        return port["id"]

    def states(self):
        return [domain.state()[0] for domain in self.domains()]

    @contextlib.contextmanager
    def without_novas_own_cleaning(self):
        """Let only the driver's undoing clean up after a failed build."""
        kind = type(self.driver)
        with mock.patch.object(kind, "destroy"), \
                mock.patch.object(kind, "cleanup"), \
                mock.patch.object(kind, "unplug_vifs"):
            yield


class ManyTest(base.ChainTestCase):

    def test_ten_at_once_download_one_image_once(self):
        """storage C6."""
        image = self.images.add(images.DIRECTORY / "guest.qcow2", "qcow2")
        flavor_id = self.flavor(memory_mb=64)
        servers = [self.post(image, flavor_id=flavor_id) for _ in range(10)]
        for server in servers:
            self.wait_for_status(server, "ACTIVE")
        self.assertEqual([image], self.images.downloads)
        self.assertEqual(10, len(self.domains()))
        self.delete(*servers)
        self.assertEqual([], self.leftovers())

    def test_the_scheduler_counts_what_is_there(self):
        """placement R1, R2, R4."""
        image = self.images.add(images.DIRECTORY / "guest.raw", "raw")
        (provider,) = [found["uuid"] for found in self._get_all_providers()]
        inventory = self._get_provider_inventory(provider)
        self.assertEqual({"MEMORY_MB", "VCPU", "DISK_GB"}, set(inventory))
        traits = self._get_provider_traits(provider)
        self.assertIn("COMPUTE_STORAGE_BUS_VIRTIO", traits)
        self.assertIn("COMPUTE_DEVICE_TAGGING", traits)
        too_much = self.flavor(
            memory_mb=inventory["MEMORY_MB"]["total"] + 1)
        server = self.boot(image, flavor_id=too_much, expect="ERROR")
        self.assertIn("No valid host", server["fault"]["message"])


class CrashTest(base.ChainTestCase):
    """design 3: what was cut off is undone at the next start."""

    def test_a_killed_spawn_is_undone_by_the_next_service(self):
        image = self.images.add(images.DIRECTORY / "guest.raw", "raw")
        stuck, go_on = threading.Event(), threading.Event()
        self.addCleanup(go_on.set)

        def hang(*args, **kwargs):
            stuck.set()
            go_on.wait(60)
            raise exception.HostError(action="a", subject="b", reason="c")

        with mock.patch.object(domain.LibvirtDomain, "start", hang):
            server = self.post(image, networks=[
                {"uuid": self.neutron.network_1["id"]}])
            self.assertTrue(stuck.wait(60))
            self.assertEqual(1, len(self.domains()))
            driver = type(self.driver)(self.compute.manager.virtapi)
            driver.init_host("compute")
            self.addCleanup(driver.cleanup_host, "compute")
            self.assertEqual([], self.leftovers())
            go_on.set()
            self.wait_for_status_error(server)

    def wait_for_status_error(self, server):
        self.wait_until(
            lambda: self.api.get_server(server["id"])["status"] == "ERROR",
            "a server in ERROR")
