"""What a process that reads strangers' bytes gives up before it sees the first of them.

`isolate_server` and `prepare_confining` once, in the process that others are forked off; `confine` in each of those.
What of it a host has, `iotriage.confinement.report.available` says.
"""

from __future__ import annotations

from iotriage.confinement.child import confine, drop_write_access, prepare_confining
from iotriage.confinement.isolation import Isolation, isolate_server
from iotriage.confinement.limits import Limits

__all__ = ["Isolation", "Limits", "confine", "drop_write_access", "isolate_server", "prepare_confining"]
