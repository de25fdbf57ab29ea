"""Cinder volumes on this host: os-brick, and what QEMU opens by itself."""
