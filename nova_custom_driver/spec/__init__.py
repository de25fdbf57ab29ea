"""What things are: values without behaviour, shared by every room.

Nothing here imports nova, libvirt or configuration, so a value can be made in
a test by hand and compared by ``==``.
"""
