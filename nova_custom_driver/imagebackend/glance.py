"""Fetch images from Glance."""

import hashlib
import pathlib
from typing import Any

from nova import context as nova_context
from nova import exception as nova_exception
from nova.compute import utils as compute_utils
from nova.i18n import _
from nova.image import glance
from nova.objects import trusted_certs as trusted_certs_object

API = glance.API()


def fetch(context: nova_context.RequestContext, image_id: str,
          path: pathlib.Path,
          trusted_certs: trusted_certs_object.TrustedCerts | None,
          ) -> dict[str, Any]:
    """Download an image to ``path`` and return Glance's record of it.

    Its signature is checked by Nova's image client on the way, its hash here
    on the file as it was written, whichever way it came.

    :raises nova.exception.ImageUnacceptable: the hash is not the recorded
        one.
    :raises nova.exception.ImageNotFound: there is no such image.
    """
    image: dict[str, Any] = API.get(context, image_id)
    # Nova's bound on how many such jobs burden the disks at once.
    with compute_utils.disk_ops_semaphore:
        API.download(context, image_id, dest_path=str(path),
                     trusted_certs=trusted_certs)
        _check_hash(image, image_id, path)
    return image


def _check_hash(image: dict[str, Any], image_id: str,
                path: pathlib.Path) -> None:
    algorithm, recorded = _recorded_hash(image)
    if algorithm is None or recorded is None:
        return
    with path.open("rb") as file:
        found = hashlib.file_digest(file, algorithm).hexdigest()
    if found != recorded:
        raise nova_exception.ImageUnacceptable(image_id=image_id, reason=_(
            "its content has the %(algorithm)s hash %(found)s, not "
            "%(recorded)s as Glance recorded") % {
                "algorithm": algorithm, "found": found,
                "recorded": recorded})


def _recorded_hash(image: dict[str, Any]) -> tuple[str | None, str | None]:
    """Return (algorithm, hex digest), the strong one where there are two."""
    fields = {**image.get("properties", {}), **image}
    algorithm = fields.get("os_hash_algo")
    if algorithm in hashlib.algorithms_available \
            and fields.get("os_hash_value"):
        return algorithm, fields["os_hash_value"]
    if fields.get("checksum"):
        return "md5", fields["checksum"]
    return None, None
