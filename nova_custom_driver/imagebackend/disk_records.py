"""An instance's disks as hosts tell each other of them.

The shape is the in-tree driver's, ``_get_instance_disk_info``: a host at the
other end may run that.
"""

import pathlib
from typing import Any

from nova_custom_driver.imagebackend import disk_info
from nova_custom_driver.imagebackend import image_format


def of(directory: pathlib.Path) -> list[dict[str, Any]]:
    """Return a record for each disk in an instance's directory.

    Sizes are in bytes; ``backing_file`` is a name in the base cache, "" for
    a disk that stands alone.
    """
    formats = disk_info.DiskInfo(directory).all()
    return [_record(path, format_name)
            for path, format_name in sorted(formats.items())]


def _record(path: pathlib.Path, format_name: str) -> dict[str, Any]:
    found = path.stat()
    allocated = 512 * found.st_blocks
    overlay = format_name == "qcow2"
    virtual = (image_format.virtual_size(path) if overlay
               else found.st_size)
    backing = image_format.backing_file(path) if overlay else None
    return {
        "type": format_name, "path": str(path), "virt_disk_size": virtual,
        "backing_file": pathlib.PurePath(backing).name if backing else "",
        "disk_size": allocated,
        "over_committed_disk_size": max(0, virtual - allocated)}
