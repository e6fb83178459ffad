"""The server's warehouse, and the days that it has."""

from __future__ import annotations

from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from fastapi import Depends

from iotriage.api.guard.policies import HELPDESK_READS
from iotriage.api.problems import ProblemError
from iotriage.api.routers import api_router
from iotriage.api.services import Here
from iotriage_parsers.frozen import frozen

router = api_router("/centre", tag="centre")


@frozen
class Centre:
    """`has_warehouse` is whether the server was given one; `days` are those with logs, oldest first."""

    has_warehouse: bool
    days: tuple[date, ...]


@router.get("", dependencies=[HELPDESK_READS])
def get_centre(services: Here) -> Centre:
    """Whether there is a warehouse here, and the days that it has."""
    root = services.settings.warehouse
    if root is None or find_spec("duckdb") is None:
        return Centre(has_warehouse=False, days=())
    from iotriage.centre.warehouse.manifest import days_in

    return Centre(has_warehouse=True, days=tuple(days_in(root)))


async def _warehouse(services: Here) -> Path:
    root = services.settings.warehouse
    if root is None:
        detail = "Whoever runs the server names the folder that iotriage ingest fills: IOTRIAGE_WAREHOUSE."
        raise ProblemError(404, "no-warehouse", "This server has no warehouse", detail)
    if find_spec("duckdb") is None:
        detail = "The server lacks DuckDB: pip install 'iotriage[centre]' brings it."
        raise ProblemError(503, "no-duckdb", "The warehouse cannot be read", detail)
    return root


Warehouse = Annotated[Path, Depends(_warehouse)]
"""The folder; a problem where the server has none, or not what reads it."""
