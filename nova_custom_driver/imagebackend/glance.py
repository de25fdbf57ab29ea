"""Fetch images from Glance."""

from collections.abc import Mapping
import errno
import hashlib
import pathlib
from typing import Any, BinaryIO

from cryptography import exceptions as crypto_exceptions
from nova import context as nova_context
from nova import exception as nova_exception
from nova.compute import utils as compute_utils
from nova.i18n import _
from nova.image import glance
from nova.objects import trusted_certs as trusted_certs_object

API = glance.API()


class _Writer:
    """A file that exists from the first write on.

    Nova's download handlers make the file themselves, and ``rbd export``
    refuses one that exists.

    :ivar used: whether the image came through here.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    @property
    def used(self) -> bool:
        return self._file is not None

    def write(self, chunk: bytes) -> None:
        if self._file is None:
            self._file = self._path.open("wb")
        self._file.write(chunk)

    def truncate(self, size: int) -> None:
        """Nova cuts what has a wrong signature; our caller removes it."""

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class Images:
    """Glance, as :class:`nova_custom_driver.imagebackend.base.ImageStore`.
    """

    def name(self, context: nova_context.RequestContext,
             image_id: str) -> str:
        return str(API.get(context, image_id)["name"])

    def upload(self, context: nova_context.RequestContext, image_id: str,
               record: Mapping[str, Any], path: pathlib.Path) -> None:
        with path.open("rb") as file, compute_utils.disk_ops_semaphore:
            API.update(context, image_id, dict(record), data=file)


def fetch(context: nova_context.RequestContext, image_id: str,
          path: pathlib.Path,
          trusted_certs: trusted_certs_object.TrustedCerts | None,
          ) -> dict[str, Any]:
    """Download an image to ``path`` and return Glance's record of it.

    Its hash is checked once.  python-glanceclient does so as the data passes
    through it (``Controller.data``): the multihash, else the MD5 checksum.
    What came another way, by a download handler or from some other image
    service, is hashed here.  Signatures are checked by Nova's image client.

    :raises nova.exception.ImageUnacceptable: hash or signature are wrong.
    :raises nova.exception.ImageNotFound: there is no such image.
    """
    image: dict[str, Any] = API.get(context, image_id)
    path.unlink(missing_ok=True)
    # Nova's bound on how many such jobs burden the disks at once.
    with compute_utils.disk_ops_semaphore:
        through_client = _download(context, image_id, path, trusted_certs)
        if not path.exists():
            # An image of no bytes has nothing to write.
            path.touch()
        if not (through_client and _is_stock(context, image_id)):
            _check_hash(image, image_id, path)
    return image


def _download(context: nova_context.RequestContext, image_id: str,
              path: pathlib.Path,
              trusted_certs: trusted_certs_object.TrustedCerts | None,
              ) -> bool:
    """Return whether the data came through the image client."""
    writer = _Writer(path)
    try:
        API.download(context, image_id, data=writer, dest_path=str(path),
                     trusted_certs=trusted_certs)
    except crypto_exceptions.InvalidSignature as error:
        raise nova_exception.ImageUnacceptable(image_id=image_id, reason=_(
            "its signature is wrong")) from error
    except OSError as error:
        # What python-glanceclient raises for a wrong hash.
        if error.errno != errno.EPIPE:
            raise
        raise nova_exception.ImageUnacceptable(
            image_id=image_id, reason=error.strerror) from error
    finally:
        writer.close()
    return writer.used


def _is_stock(context: nova_context.RequestContext, image_id: str) -> bool:
    service, _id = glance.get_remote_image_service(context, image_id)
    return isinstance(service, glance.GlanceImageServiceV2)


def _check_hash(image: dict[str, Any], image_id: str,
                path: pathlib.Path) -> None:
    algorithm, recorded = _recorded_hash(image)
    if algorithm is None:
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
    """Return (algorithm, hex digest), the strong one where there are two.

    Nova's image client files what it does not know under "properties".
    """
    fields = {**image.get("properties", {}), **image}
    algorithm = fields.get("os_hash_algo")
    if algorithm in hashlib.algorithms_available \
            and fields.get("os_hash_value"):
        return algorithm, fields["os_hash_value"]
    if fields.get("checksum"):
        return "md5", fields["checksum"]
    return None, None
