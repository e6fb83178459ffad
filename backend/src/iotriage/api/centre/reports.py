"""What a centre's jobs did on one day."""

from __future__ import annotations

from datetime import date

from fastapi import APIRouter

from iotriage.api.centre.warehouse import Warehouse
from iotriage.api.guard.policies import HELPDESK_READS
from iotriage.api.problems import ProblemError
from iotriage.centre.report.section import DayReport

router = APIRouter(prefix="/centre/reports", tags=["centre"])


@router.get("/{day}", dependencies=[HELPDESK_READS])
def get_report(day: date, warehouse: Warehouse) -> DayReport:
    """The report of a day in UTC, completeness first."""
    from iotriage.centre.report.of_day import report_of
    from iotriage.centre.warehouse.manifest import BadManifestError

    try:
        return report_of(warehouse, day)
    except BadManifestError as bad:
        raise ProblemError(503, "bad-warehouse", "The warehouse cannot be read", f"{bad}.") from None
