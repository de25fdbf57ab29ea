"""Glance's images for tests: real files behind Nova's Glance fixture."""

import hashlib
import pathlib
import shutil

from oslo_utils import uuidutils

from tools.guest_image import build

DIRECTORY = build.DIRECTORY


class Images:
    """Puts files into a ``nova.tests.fixtures.GlanceFixture``.

    :param directory: for what is uploaded.
    :ivar downloads: ids in the order they were fetched.
    """

    def __init__(self, glance, directory):
        self._glance = glance
        self._directory = pathlib.Path(directory)
        self._files = {}
        self.downloads = []
        glance.download = self._download
        self._plain_update = glance.update
        glance.update = self._update

    def add(self, path, disk_format, *, container_format="bare",
            os_hash_value=None, **properties):
        """Return the id of a new image whose content is ``path``."""
        path = pathlib.Path(path)
        image_id = uuidutils.generate_uuid()
        self._files[image_id] = path
        self._glance.create(None, {
            "id": image_id, "name": path.name, "status": "active",
            "container_format": container_format, "disk_format": disk_format,
            "size": path.stat().st_size, "min_ram": 0, "min_disk": 0,
            "protected": False, "visibility": "public", "tags": [],
            "os_hash_algo": "sha256",
            "os_hash_value": os_hash_value or hash_of(path),
            "properties": properties})
        return image_id

    def _download(self, context, image_id, data=None, dst_path=None,
                  trusted_certs=None):
        self.downloads.append(image_id)
        with self._files[image_id].open("rb") as source:
            if data is not None:
                shutil.copyfileobj(source, data)
                return
            with open(dst_path, "wb") as target:
                shutil.copyfileobj(source, target)


    def path(self, image_id):
        """Return the file of an image."""
        return self._files[image_id]

    def _update(self, context, image_id, metadata, data=None,
                purge_props=False):
        if data is not None:
            path = self._directory / image_id
            with path.open("wb") as target:
                shutil.copyfileobj(data, target)
            self._files[image_id] = path
            metadata = {**metadata, "size": path.stat().st_size,
                        "os_hash_algo": "sha256",
                        "os_hash_value": hash_of(path)}
        return self._plain_update(context, image_id, metadata,
                                  purge_props=purge_props)


def hash_of(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
