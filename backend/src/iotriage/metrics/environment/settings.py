"""Environment variables of the job: as the MPI library displays them, or as the job script sets them."""

from __future__ import annotations

import re

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import ENVIRONMENT
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.settings import CURLY, settings
from iotriage_parsers.evidence import JobContext

NOT_SET = "not set"
"""What an environment variable is that a whole job script leaves alone; a module could have set it: inferred."""


def _declare(id: str, title: str, name: str, *, of_libfabric: bool = False) -> None:
    """Declares the metric that says how the environment variable `name` was set; one `of_libfabric` says nothing where
    the MPI library goes over another network's."""
    over_ucx = "; absent over UCX" if of_libfabric else ""

    @metric(
        id,
        title,
        "word",
        formula=f"{name} as MPICH_ENV_DISPLAY shows it, else as the job script sets it or leaves it{over_ucx}",
        needs="MPICH_ENV_DISPLAY, or the job script",
        scopes=["job"],
    )
    def setting(s: Selection) -> Outcome:
        found = settings(s, name)
        if of_libfabric and (ucx := _over_ucx(s)):
            return ucx
        scripts = [(i, c) for i, c in s.of(JobContext) if c.source == "script" and c.complete]
        if not found and scripts:
            source, script = scripts[0]
            return Value(NOT_SET, "inferred", (Where(source, script.lines),))
        if not found:
            return Absent(f"no source says what {name} was", (ENVIRONMENT,))
        first = found[0]
        return Value(first.value.strip(CURLY + "\"' "), "inferred" if first.requested else "measured", (first.where,))


_NETWORK = re.compile(r"craype-network-(ofi|ucx)\b|cray-mpich-(ucx)\b")


def _over_ucx(s: Selection) -> Absent | None:
    """Where the network that the script loads last is UCX, no variable of libfabric says anything."""
    scripts = (context for _, context in s.of(JobContext))
    loaded = [c.names[-1] for script in scripts for c in script.modules if c.names and c.action in ("load", "swap")]
    networks = [found[1] or found[2] for name in loaded if (found := _NETWORK.match(name))]
    if networks[-1:] != ["ucx"]:
        return None
    return Absent("the script loads the UCX variant of the MPI library, which does not read it")


_declare("environment.sar_limit", "FI_OFI_RXM_SAR_LIMIT as set", "FI_OFI_RXM_SAR_LIMIT", of_libfabric=True)
_declare("environment.mpiio_stats", "MPICH_MPIIO_STATS as set", "MPICH_MPIIO_STATS")
_declare("environment.abort_on_error", "Whether a failed read or write ends the run", "MPICH_MPIIO_ABORT_ON_RW_ERROR")
_declare("environment.iobuf_params", "Files that IOBUF buffers, as set", "IOBUF_PARAMS")

_SIZE = re.compile(r"(\d{1,12})([KMG]?)B?", re.IGNORECASE)
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


@metric(
    "environment.sar_limit_bytes",
    "Size up to which libfabric segments messages",
    "B",
    formula="FI_OFI_RXM_SAR_LIMIT as it is set, K, M and G being powers of 1024",
    needs="MPICH_ENV_DISPLAY, or the job script",
    scopes=["job"],
)
def sar_limit_bytes(s: Selection) -> Outcome:
    limit = outcome(s, "environment.sar_limit")
    if isinstance(limit, Absent):
        return limit
    found = _SIZE.fullmatch(str(limit.value))
    if found is None:
        return Absent("FI_OFI_RXM_SAR_LIMIT is not set to a size")
    return Value(int(found[1]) * _UNITS[found[2].upper()], limit.confidence, limit.where)
