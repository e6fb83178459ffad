"""PnetCDF as the program calls it: blocking calls, independent or collective, and nonblocking ones."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import metrics_unless
from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import no_records_of, total

NEEDS = "a Darshan log with PnetCDF variable records (Darshan 3.4 or later)"


_metric_of_variables = metrics_unless(no_records_of("PNETCDF_VAR"), needs=NEEDS)


def _declare(direction: Literal["read", "write"]) -> None:
    way = f"{direction.upper()}S"
    moved = "written" if direction == "write" else "read"

    @_metric_of_variables(
        f"pnetcdf.independent_{direction}_fraction",
        f"Independent share of blocking PnetCDF {direction}s",
        "share",
        about=About(time=False, direction=direction),
        formula=f"PNETCDF_VAR_INDEP_{way} / (PNETCDF_VAR_INDEP_{way} + PNETCDF_VAR_COLL_{way}); nonblocking calls are "
        "left out, since a wait decides how they are done",
    )
    def fraction(s: Selection) -> Outcome:
        alone = total(s, "PNETCDF_VAR", f"PNETCDF_VAR_INDEP_{way}")
        every = total(s, "PNETCDF_VAR", f"PNETCDF_VAR_INDEP_{way}", f"PNETCDF_VAR_COLL_{way}")
        return quotient(alone, every, zero=f"no blocking PnetCDF {direction}s were made")

    @_metric_of_variables(
        f"pnetcdf.nonblocking_{direction}s",
        f"Nonblocking PnetCDF {direction}s",
        "calls",
        about=About(direction=direction),
        formula=f"PNETCDF_VAR_NB_{way} (iput, bput, iget) summed over ranks",
    )
    def nonblocking(s: Selection) -> Outcome:
        return total(s, "PNETCDF_VAR", f"PNETCDF_VAR_NB_{way}")

    @_metric_of_variables(
        f"pnetcdf.bytes_{moved}",
        f"Bytes {moved} at the PnetCDF layer",
        "B",
        about=About(direction=direction),
        formula=f"PNETCDF_VAR_BYTES_{moved.upper()} summed over variables; the same bytes stand at MPI-IO below",
    )
    def moved_bytes(s: Selection) -> Outcome:
        return total(s, "PNETCDF_VAR", f"PNETCDF_VAR_BYTES_{moved.upper()}")


_declare("write")
_declare("read")


@_metric_of_variables(
    "pnetcdf.written_over_given",
    "Bytes that PnetCDF writes per byte that the program gives it",
    "ratio",
    about=About(time=False, direction="write"),
    formula="PNETCDF_FILE_BYTES_WRITTEN / PNETCDF_VAR_BYTES_WRITTEN: headers, and values that variables are filled "
    "with, stand in the first alone",
)
def written_over_given(s: Selection) -> Outcome:
    of_files = total(s, "PNETCDF_FILE", "PNETCDF_FILE_BYTES_WRITTEN")
    return quotient(of_files, outcome(s, "pnetcdf.bytes_written"), zero="the program wrote no variables")
