"""libvirt's spelling of a guest; one element a file, no side effects."""
