"""Whether two hosts see the same instance's files."""

import os
import pathlib
import tempfile
from typing import Any

from nova_custom_driver.virt.ops import hands as hands_module

Data = dict[str, Any]


def begin(hands: hands_module.Hands, instance_uuid: str) -> Data | None:
    """Make a file for the other host to look for; None: no files to share.
    """
    directory = hands.directory(instance_uuid)
    if not directory.is_dir():
        return None
    file, path = tempfile.mkstemp(dir=directory)
    os.close(file)
    return {"filename": path}


def is_seen(data: Data) -> bool:
    """Return whether the other host's file is here."""
    return pathlib.Path(data["filename"]).exists()


def end(data: Data) -> None:
    """Remove the file."""
    pathlib.Path(data["filename"]).unlink(missing_ok=True)
