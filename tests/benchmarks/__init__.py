"""Benchmarks; ``python -m tests.benchmarks`` runs them.

Importing this sets Nova to native threads, as ``nova-compute`` does it before
anything else of Nova is imported.
"""

import os

from nova import monkey_patch

os.environ.setdefault("OS_NOVA_DISABLE_EVENTLET_PATCHING", "1")
monkey_patch.patch()
