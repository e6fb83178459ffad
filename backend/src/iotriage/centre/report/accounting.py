"""What a scheduler's accounting says about jobs, as text of `sacct -P`: their users, projects and nodes.

A warehouse may have a file for each day, `accounting/2026-11-20.txt`; a job is looked for in that of its day and in
those beside it. A row with a dot in its job id is a step and no job.
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Final

COMMAND: Final = "TZ=UTC sacct -a -X -P -S DAY -E NEXT_DAY -o JobIDRaw,User,Account,NNodes,ElapsedRaw,End"
"""The days of a report are in UTC, and without a word sacct's are the machine's."""


def command_of(day: date) -> str:
    """What prints the accounting of one day."""
    return COMMAND.replace("NEXT_DAY", f"{day + timedelta(days=1)}").replace("DAY", f"{day}")


ACCOUNTING_COLUMNS: Final = ("id VARCHAR", "person VARCHAR", "project VARCHAR", "nodes BIGINT")

IDS: Final = ("JobIDRaw", "JobID")
NODES: Final = ("NNodes", "AllocNodes")
END: Final = "End"
"""When the job ended, in UTC; a job that has not is "Unknown"."""


class BadAccountingError(Exception):
    """A text that is no such accounting, or lacks a column."""


def accounting_file(root: Path, day: date) -> Path:
    return root / "accounting" / f"{day}.txt"


def accounting_files(root: Path, day: date) -> tuple[Path, ...]:
    """The accounting files of the day and of the days beside it that are there."""
    files = (accounting_file(root, day + timedelta(days=beside)) for beside in (-1, 0, 1))
    return tuple(path for path in files if is_there(path))


def is_there(path: Path) -> bool:
    """Whether there is an accounting. One that may not be looked at is there: whoever reads it says why it cannot."""
    try:
        return path.is_file()
    except OSError:
        return True


def accounting_query(path: Path) -> str:
    """A query over `$accounting`, the file: a row for each job, of `ACCOUNTING_COLUMNS`. What the text has not is NULL.
    Raises `BadAccountingError`."""
    columns = header_of(path)
    id = column_of(columns, IDS)
    if id is None:
        raise BadAccountingError(f"{path} lacks a job id: make it with {COMMAND}")
    nodes = column_of(columns, NODES)
    person, project = (
        f"any_value(nullif(\"{name}\", ''))" if name in columns else "NULL" for name in ("User", "Account")
    )
    most = f'max(try_cast("{nodes}" AS BIGINT))' if nodes else "NULL"
    return (
        f'SELECT "{id}", {person}, {project}, {most} FROM {READ} '
        f'WHERE "{id}" NOT LIKE \'%.%\' AND "{id}" NOT IN (SELECT id FROM accounting) GROUP BY "{id}"'
    )


READ: Final = "read_csv($accounting, delim = '|', header = true, all_varchar = true, quote = '', null_padding = true)"


def column_of(columns: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in columns), None)


def header_of(path: Path) -> tuple[str, ...]:
    """Raises `BadAccountingError` where the file cannot be read."""
    try:
        with path.open(encoding="utf-8", errors="replace") as text:
            return tuple(text.readline(65_536).rstrip("\n").split("|"))
    except OSError as error:
        raise BadAccountingError(f"{path}: {error.strerror}") from None
