"""An out-of-tree Nova compute driver for libvirt, QEMU and KVM.

Nova loads it by ``compute_driver = nova_custom_driver.CustomDriver``.

The rooms, from the door inwards:

* ``registration``: how Nova finds the driver
* ``virt.driver``: Nova's methods, a few lines each
* ``virt.ops``: in which order things happen, and how to get back
* ``planner``: what Nova wants, in our words; decisions only
* ``virt.xml``: how libvirt spells it; pure functions
* ``virt.host``, ``virt.vif``, ``virt.volume``, ``imagebackend``: the hands
  that touch the host
* ``spec``: the values all of them pass around
* ``undo``, ``journal``, ``timeline``: what an operation leaves behind
* ``conf``: options; the only room beside ``virt.driver`` that reads them
"""
