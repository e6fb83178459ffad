"""The days of a warehouse that a command is to read, or why there are none."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

OF_THE_WAREHOUSE = "whoever runs this must be able to read the warehouse, as a member of its group"


class NoDaysError(Exception):
    """Why there are none, and what to do."""


def days_of(root: Path) -> list[date]:
    """The days of the warehouse, in order. Raises `NoDaysError`."""
    from iotriage.centre.warehouse.manifest import days_in

    try:
        with os.scandir(root):
            days = list(days_in(root))
    except FileNotFoundError:
        raise NoDaysError(f"there is no warehouse {root}: iotriage ingest makes and fills it") from None
    except NotADirectoryError:
        raise NoDaysError(f"{root} is not a folder, so not a warehouse: iotriage ingest makes and fills one") from None
    except OSError as problem:
        raise NoDaysError(f"{root} cannot be listed: {problem.strerror}; {OF_THE_WAREHOUSE}") from None
    if not days:
        raise NoDaysError(f"{root} is not a warehouse, or an empty one: iotriage ingest fills it")
    return days
