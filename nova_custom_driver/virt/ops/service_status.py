"""Take the compute service out of scheduling while libvirt is away."""

from concurrent import futures

from nova import context as nova_context
from nova import exception as nova_exception
from nova import objects
from nova.virt import virtapi as nova_virtapi
from oslo_log import log as logging

LOG = logging.getLogger(__name__)

# Nova's own mark of a service that was not disabled by a person; only such
# ones are enabled again.
PREFIX = "AUTO: "


class ServiceStatus:
    """Keeps the service record in step with the connection.

    The work is done in a thread of its own, in order: it calls the
    conductor, which the thread of events must not wait for.
    """

    def __init__(self, host: str, virtapi: nova_virtapi.VirtAPI) -> None:
        self._host = host
        self._virtapi = virtapi
        self._executor = futures.ThreadPoolExecutor(1, "service-status")

    def connection_changed(self, up: bool, reason: str | None) -> None:
        """Disable the service, or enable it if it was us who disabled it."""
        try:
            self._executor.submit(self._update, up, reason)
        except RuntimeError:
            LOG.debug("The service is stopping and keeps its status")

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _update(self, up: bool, reason: str | None) -> None:
        context = nova_context.get_admin_context()
        try:
            service = objects.Service.get_by_compute_host(context, self._host)
            if service.disabled != up or not self._ours(service):
                return
            service.disabled = not up
            service.disabled_reason = None if up else f"{PREFIX}{reason}"
            service.save()
            self._update_trait(context, service)
        except nova_exception.ComputeHostNotFound:
            LOG.info("The service of %s has no record yet to update",
                     self._host)
        except Exception:
            # A thread's end: nobody above could do anything about it.
            LOG.exception("Could not update the status of the service on %s",
                          self._host)

    def _ours(self, service: objects.Service) -> bool:
        return (not service.disabled
                or (service.disabled_reason or "").startswith(PREFIX))

    def _update_trait(self, context: nova_context.RequestContext,
                      service: objects.Service) -> None:
        for compute_node in objects.ComputeNodeList.get_all_by_host(
                context, self._host):
            self._virtapi.update_compute_provider_status(
                context, compute_node.uuid, enabled=not service.disabled)
