"""design 3: decide first; what the planner is given."""

import dataclasses
import pathlib
import unittest

from nova import exception as nova_exception
from nova.network import model as network_model

from nova_custom_driver.spec import disk as disk_spec
from nova_custom_driver.spec import firmware
from nova_custom_driver.virt.ops import plan
from tests.unit.planner import factories
from tests.unit.virt.ops import stage

UEFI = {"hw_firmware_type": "uefi", "hw_machine_type": "q35"}
RECORD = firmware.Record(
    loader=pathlib.PurePosixPath(__file__), loader_type="pflash",
    loader_readonly=True, loader_secure=None,
    nvram=pathlib.PurePosixPath("/nvram/web.fd"), nvram_template=None)


class PlanTestCase(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.asked = []
        answer = self.stage.hypervisor.domain_facts

        def domain_facts(*kind):
            self.asked.append(kind)
            arch, machine, virt_type = kind
            return dataclasses.replace(answer(*kind), arch=arch,
                                       machine=machine, virt_type=virt_type)

        self.stage.hypervisor.domain_facts = domain_facts

    def subject(self, *, image=None, **instance):
        return dataclasses.replace(
            stage.a_subject(**instance),
            image_meta=factories.an_image(**(image or {})))

    def settings(self, **changes):
        self.stage.hands = dataclasses.replace(
            self.stage.hands, guest=factories.guest_settings(**changes))

    def make(self, *, vifs=(), image=None, instance=None, **more):
        return plan.make(
            self.subject(image=image, **(instance or {})),
            network_model.NetworkInfo(vifs), self.stage.hands, **more)


class FactsTest(PlanTestCase):

    def facts(self, **image):
        return plan.facts(factories.an_image(**image), self.stage.hands)

    def test_of_the_hosts_own_architecture(self):
        """guest-config F1."""
        _, arch, machine = self.facts()
        self.assertEqual(("x86_64", "pc"), (arch, machine))
        self.facts(hw_machine_type="q35")
        self.assertEqual([("x86_64", "pc", "kvm"), ("x86_64", "q35", "kvm")],
                         self.asked)

    def test_another_architecture_is_emulated(self):
        self.facts(hw_emulation_architecture="aarch64")
        self.assertEqual([("aarch64", "virt", "qemu")], self.asked)

    def test_a_machine_the_host_lacks(self):
        """guest-config F1."""
        with self.assertRaises(nova_exception.InvalidMachineType):
            self.facts(hw_machine_type="warp")
        self.assertEqual([], self.asked)


class MakeTest(PlanTestCase):

    def test_of_the_instance_with_its_ports(self):
        made = self.make(vifs=[factories.a_vif()])
        self.assertEqual(factories.UUID, made.uuid)
        self.assertEqual([factories.PORT], [nic.vif_id for nic in made.nics])

    def test_nothing_on_the_host_is_changed(self):
        self.make(vifs=[factories.a_vif()])
        self.assertEqual([], self.stage.left())

    def test_files_are_in_the_instances_directory(self):
        directory = self.stage.path / factories.UUID
        made = self.make(instance={"kernel_id": "k", "ramdisk_id": "r"})
        kernel = made.boot.kernel
        self.assertEqual((str(directory / "kernel"),
                          str(directory / "ramdisk")),
                         (str(kernel.kernel), str(kernel.ramdisk)))
        made = self.make(instance={"kernel_id": "k"})
        self.assertIsNone(made.boot.kernel.ramdisk)
        self.assertIsNone(self.make().boot.kernel)

    def test_a_config_drive_that_the_image_asks_for(self):
        """guest-config J6; storage D1."""
        def names(**instance):
            return [disk.name for disk in self.make(instance=instance).disks]

        self.assertNotIn("disk.config", names())
        self.assertIn("disk.config", names(config_drive="True"))
        self.assertIn("disk.config", names(system_metadata={
            "image_img_config_drive": "mandatory"}))

    def test_what_is_kept_of_an_existing_domain(self):
        """guest-config F5, S1."""
        self.settings(serial_console=True)
        made = self.make(
            image=UEFI,
            serial_ports=(10007,), firmware_record=RECORD)
        self.assertEqual(RECORD, made.boot.firmware.record)
        self.assertIn("10007", repr(made.devices))

    def test_firmware_that_is_gone_is_chosen_again(self):
        """guest-config F5."""
        gone = pathlib.PurePosixPath("/fw/gone.fd")
        for lost in ({"loader": gone}, {"nvram_template": gone}):
            made = self.make(
                image=UEFI,
                firmware_record=dataclasses.replace(RECORD, **lost))
            self.assertIsNone(made.boot.firmware.record)

    def test_flags_of_every_configured_model_are_asked_for(self):
        """guest-config C2."""
        asked = []

        def model_flags(*kind):
            asked.append(kind)
            return frozenset()

        self.stage.hypervisor.model_flags = model_flags
        self.settings(cpu_mode="custom", cpu_models=("penryn", "Haswell"))
        self.stage.hypervisor._domain_facts = factories.a_domain_facts(
            cpu_models=frozenset(("Penryn", "Haswell")))
        self.make()
        # As libvirt spells them, not as the operator may have.
        self.assertEqual([("x86_64", "kvm", "Penryn"),
                          ("x86_64", "kvm", "Haswell")], asked)

    def test_a_missing_source_of_randomness(self):
        """guest-config S8."""
        self.settings(rng_device=self.stage.path / "hwrng")
        with self.assertRaisesRegex(nova_exception.RngDeviceNotExist,
                                    "hwrng"):
            self.make()
        (self.stage.path / "hwrng").touch()
        self.make()


class DisksTest(PlanTestCase):

    def contents(self, **instance):
        return [type(disk.content) for disk in plan.disks(
            self.subject(**instance), self.stage.hands)]

    def test_those_of_the_flavor(self):
        self.assertEqual(
            [disk_spec.ImageContent, disk_spec.SwapContent],
            self.contents(flavor=factories.a_flavor(swap=64)))

    def test_a_config_drive_where_asked_for(self):
        """storage D1."""
        self.assertIn(disk_spec.ConfigDriveContent,
                      self.contents(config_drive="True"))

    def test_they_are_the_same_as_in_the_whole_plan(self):
        subject = self.subject(config_drive="True")
        whole = plan.make(subject, network_model.NetworkInfo(),
                          self.stage.hands)
        self.assertEqual(whole.disks, plan.disks(subject, self.stage.hands))


class HasQueuesTest(PlanTestCase):

    def test_as_the_plan_will_say(self):
        """network P4."""
        for wanted in (False, True):
            instance = stage.a_subject(flavor=factories.a_flavor(
                extra_specs={"hw:vif_multiqueue_enabled": str(wanted)}
                )).instance
            self.assertEqual(wanted, plan.has_queues(
                instance, hypervisor=self.stage.hypervisor,
                settings=self.stage.hands.guest))
