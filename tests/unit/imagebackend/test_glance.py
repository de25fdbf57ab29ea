import errno
import hashlib
import inspect
import unittest
from unittest import mock

from cryptography import exceptions as crypto_exceptions
from glanceclient.common import utils as client_utils
from glanceclient.v2 import images
from nova import exception as nova_exception
from nova.image import glance as nova_glance

from nova_custom_driver.imagebackend import glance
from tests.unit.imagebackend import factories

DATA = b"an image"
SHA512 = hashlib.sha512(DATA).hexdigest()
MD5 = hashlib.md5(DATA).hexdigest()


class Service:
    """An image service that is not Nova's Glance client."""

    def __init__(self, data=DATA, error=None, handler=False, **image):
        self.data = data
        self.error = error
        self.handler = handler
        self.image = {"disk_format": "raw", "properties": {}, **image}
        self.trusted_certs = None

    def show(self, context, image_id, **_):
        return self.image

    def download(self, context, image_id, data=None, dst_path=None,
                 trusted_certs=None):
        self.trusted_certs = trusted_certs
        if self.handler:
            # Such as "rbd export" does, which takes no existing file.
            with open(dst_path, "xb") as file:
                file.write(self.data)
            return
        for start in range(0, len(self.data), 3):
            data.write(self.data[start:start + 3])
        if self.error:
            raise self.error


class StockService(Service, nova_glance.GlanceImageServiceV2):
    """One whose data has passed through python-glanceclient."""


class FetchTest(factories.DirectoryTestCase):

    def setUp(self):
        super().setUp()
        self.image = self.path / "image.part"

    def fetch(self, service, trusted_certs=None):
        with mock.patch.object(nova_glance, "get_default_image_service",
                               lambda: service):
            return glance.fetch(None, factories.IMAGE, self.image,
                                trusted_certs)

    def assert_refused(self, service, reason):
        with self.assertRaisesRegex(nova_exception.ImageUnacceptable, reason):
            self.fetch(service)

    def test_the_data_is_written_and_glances_record_comes_back(self):
        service = Service()
        self.assertEqual(service.image, self.fetch(service))
        self.assertEqual(DATA, self.image.read_bytes())

    def test_a_right_hash_is_accepted(self):
        self.fetch(Service(os_hash_algo="sha512", os_hash_value=SHA512))
        self.fetch(Service(checksum=MD5))

    def test_a_wrong_hash_is_refused(self):
        self.assert_refused(Service(os_hash_algo="sha512", os_hash_value="0"),
                            "sha512")
        self.assert_refused(Service(checksum="0"), "md5")

    def test_the_strong_hash_decides(self):
        self.assert_refused(
            Service(os_hash_algo="sha512", os_hash_value="0", checksum=MD5),
            "sha512")

    def test_a_hash_may_stand_among_the_properties(self):
        self.assert_refused(Service(properties={
            "os_hash_algo": "sha512", "os_hash_value": "0"}), "sha512")

    def test_a_hash_this_host_cannot_compute_leaves_the_other(self):
        self.assert_refused(Service(
            os_hash_algo="keccak", os_hash_value="0", checksum="0"), "md5")

    def test_data_cut_short_is_refused(self):
        self.assert_refused(Service(
            data=DATA[:-1], os_hash_algo="sha512", os_hash_value=SHA512),
            "sha512")

    def test_an_image_of_no_bytes_is_a_file(self):
        self.fetch(Service(data=b""))
        self.assertEqual(b"", self.image.read_bytes())

    def test_a_download_handler_makes_the_file_itself(self):
        self.image.write_text("from an earlier attempt")
        self.fetch(StockService(handler=True))
        self.assertEqual(DATA, self.image.read_bytes())

    def test_what_a_download_handler_brought_is_hashed(self):
        self.assert_refused(
            StockService(handler=True, os_hash_algo="sha512",
                         os_hash_value="0"), "sha512")

    def test_what_the_stock_client_brought_is_not_hashed_again(self):
        with mock.patch.object(hashlib, "file_digest") as digest:
            self.fetch(StockService(os_hash_algo="sha512",
                                    os_hash_value=SHA512))
        digest.assert_not_called()

    def test_a_wrong_hash_found_by_the_stock_client_is_refused(self):
        self.assert_refused(StockService(error=OSError(
            errno.EPIPE, "Corrupt image download")), "Corrupt")

    def test_other_errors_of_the_client_pass(self):
        with self.assertRaisesRegex(OSError, "full"):
            self.fetch(StockService(error=OSError(errno.ENOSPC, "full")))

    def test_a_wrong_signature_is_refused(self):
        """guest-config J8; storage C8."""
        self.assert_refused(
            StockService(error=crypto_exceptions.InvalidSignature()),
            "signature")

    def test_trusted_certificates_reach_the_client(self):
        """guest-config J8; driver-contract C10."""
        service = Service()
        certs = object()
        self.fetch(service, certs)
        self.assertIs(certs, service.trusted_certs)


class GlanceClientTest(unittest.TestCase):
    """What ``fetch`` relies on; fails if a new client drops it."""

    def test_the_client_checks_the_hash_unless_told_otherwise(self):
        parameters = inspect.signature(images.Controller.data).parameters
        self.assertTrue(parameters["do_checksum"].default)

    def test_a_wrong_hash_is_the_error_that_is_translated(self):
        body = client_utils.serious_integrity_iter(
            iter([DATA]), hashlib.sha512(), "0")
        with self.assertRaises(OSError) as caught:
            list(body)
        self.assertEqual(errno.EPIPE, caught.exception.errno)
