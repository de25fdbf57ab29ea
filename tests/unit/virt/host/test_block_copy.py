"""storage N5: how libvirt is told of a copy, and what it says of one."""

import pathlib
import unittest

from nova_custom_driver.virt.host import block_copy

# As libvirt 9.0 describes a disk that is being copied, shortened.
XML = """
<domain type="qemu"><devices>
  <disk type="file" device="disk">
    <source file="/instances/1/disk.swap"/>
    <target dev="vdb" bus="virtio"/>
  </disk>
  <disk type="file" device="disk">
    <source file="/instances/1/disk"/>
    <mirror type="file" file="/snapshots/1" format="qcow2" job="copy"{ready}>
      <format type="qcow2"/>
      <source file="/snapshots/1"/>
    </mirror>
    <target dev="vda" bus="virtio"/>
  </disk>
</devices></domain>
"""


class BlockCopyTest(unittest.TestCase):

    def test_the_destination(self):
        self.assertEqual(
            '<disk type="file"><driver name="qemu" type="raw"/>'
            '<source file="/snapshots/1"/></disk>',
            block_copy.destination(pathlib.Path("/snapshots/1"), "raw"))

    def test_a_copy_that_is_under_way(self):
        self.assertIs(False, block_copy.state(XML.format(ready=""), "vda"))

    def test_a_copy_that_has_caught_up(self):
        xml = XML.format(ready=' ready="yes"')
        self.assertIs(True, block_copy.state(xml, "vda"))

    def test_no_copy(self):
        for target in ("vdb", "vdc"):
            self.assertIsNone(block_copy.state(
                XML.format(ready=""), target))
