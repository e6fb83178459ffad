"""`iotriage report --date DAY`: what a centre's jobs did to its file systems on one day, from its warehouse."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from iotriage.cli import BAD_USE, DONE, NOTHING_READ
from iotriage.cli.ingest import WITHOUT_DUCKDB, declare_warehouse
from iotriage.cli.output import declare_output, opened


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--date", default="yesterday", metavar="DAY", help="2026-11-20, today or yesterday (default), in UTC"
    )
    declare_warehouse(command)
    command.add_argument(
        "--format", choices=("text", "json"), default="text", help="text (default), or json for a program"
    )
    command.add_argument(
        "--sacct", metavar="FILE", type=Path, help="`sacct -P` of the day: what share of it left a log is said first"
    )
    declare_output(command)
    command.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    day = _day(chosen.date, datetime.now(UTC).date())
    if day is None:
        return _bad_use(f"{chosen.date!r} is no day: give it as 2026-11-20, today or yesterday")
    try:
        from iotriage.centre.report.accounting import BadAccountingError
        from iotriage.centre.report.json_form import as_report_json
        from iotriage.centre.report.of_period import period_of, report_of
        from iotriage.centre.report.text import as_report_text
        from iotriage.centre.warehouse.manifest import BadManifestError, days_in
    except ModuleNotFoundError as missing:
        if missing.name != "duckdb":
            raise
        return _bad_use(WITHOUT_DUCKDB)
    warehouse = Path(chosen.warehouse).absolute()
    days = list(days_in(warehouse))
    if not days:
        return _bad_use(f"{warehouse} is no warehouse, or an empty one: iotriage ingest fills it")
    with opened(chosen.output) as output:
        if output.refused is not None:
            return _bad_use(output.refused)
        try:
            report = report_of(warehouse, period_of(day), accounting=chosen.sacct)
        except (BadManifestError, BadAccountingError) as bad:
            return _bad_use(f"{bad}")
        unwritten = output.write(as_report_json(report) if chosen.format == "json" else as_report_text(report))
    if unwritten is not None:
        return _bad_use(unwritten)
    if day not in days:
        sys.stderr.write(f"iotriage report: there are no logs of {day}; the warehouse has {days[0]} to {days[-1]}\n")
        return NOTHING_READ
    return DONE


def _day(said: str, today: date) -> date | None:
    if said in ("today", "yesterday"):
        return today - timedelta(days=said == "yesterday")
    try:
        return date.fromisoformat(said)
    except ValueError:
        return None


def _bad_use(message: str) -> int:
    sys.stderr.write(f"iotriage report: {message}\n")
    return BAD_USE
