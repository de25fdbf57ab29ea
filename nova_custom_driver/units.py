"""Factors between the units Nova, libvirt and QEMU count in."""

KIB_PER_MIB = 1024
BYTES_PER_MIB = 1024 ** 2
BYTES_PER_GIB = 1024 ** 3
MIB_PER_GIB = 1024
