import os

# Before anything else of Nova: run on native threads, and know its objects,
# as nova-compute does before it loads a driver.
os.environ.setdefault("OS_NOVA_DISABLE_EVENTLET_PATCHING", "1")

from nova import monkey_patch

monkey_patch.patch(backend="threading")

from nova import objects  # noqa: E402

objects.register_all()
