import os

# Before anything else of Nova: run on native threads.
os.environ.setdefault("OS_NOVA_DISABLE_EVENTLET_PATCHING", "1")

from nova import monkey_patch

monkey_patch.patch(backend="threading")
