"""`iotriage warehouse`: a centre's tables for other programs, and how long they are kept."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, date, datetime, timedelta
from importlib.util import find_spec

from iotriage.centre.exported_tables import EXPORTED_TABLES
from iotriage.cli import DONE, NOTHING_READ, refuse
from iotriage.cli.ingest import WITHOUT_DUCKDB, day, declare_warehouse
from iotriage.cli.typed_values import number_of
from iotriage.cli.warehouse_days import NoDaysError, days_of
from iotriage.rules.core.words import plural

_days = number_of("days", 36_600)


def declare(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    export = actions.add_parser("export", help="write a table as JSON lines, a row a line, to standard output")
    export.add_argument("table", metavar="TABLE", choices=EXPORTED_TABLES, help=", ".join(EXPORTED_TABLES))
    export.add_argument("--since", metavar="DAY", type=day, help="from this day on (2026-11-20, in UTC)")
    export.add_argument("--until", metavar="DAY", type=day, help="to this day, which is included")
    declare_warehouse(export)
    export.set_defaults(run=run_export)
    drop = actions.add_parser("drop", help="take away what was kept long enough")
    drop.add_argument("--keep-days", metavar="N", type=_days, required=True, help="how many days stay")
    drop.add_argument(
        "--keep-documents-days",
        metavar="N",
        type=_days,
        help="how many days keep the documents of their jobs, the largest part (default: all that stay)",
    )
    drop.add_argument("--dry-run", action="store_true", help="say what would go")
    declare_warehouse(drop)
    drop.set_defaults(run=run_drop)


def run_export(chosen: argparse.Namespace) -> int:
    if find_spec("duckdb") is None:
        return refuse("warehouse", WITHOUT_DUCKDB)
    from iotriage.centre.exporting import json_lines
    from iotriage.centre.warehouse.manifest import BadManifestError

    root = chosen.warehouse.absolute()
    since, until = chosen.since or date.min, chosen.until or date.max
    if since > until:
        return refuse("warehouse", f"no day is from {since} on and until {until}: --since is the earlier one")
    try:
        known = days_of(root)
    except NoDaysError as why:
        return refuse("warehouse", f"{why}")
    days = [there for there in known if since <= there <= until]
    if not days:
        asked = " ".join(
            [*([f"from {since} on"] if chosen.since else []), *([f"until {until}"] if chosen.until else [])]
        )
        return refuse("warehouse", f"{root} has no day {asked}; it has {known[0]} to {known[-1]}", NOTHING_READ)
    try:
        for line in json_lines(root, days, chosen.table):
            sys.stdout.write(f"{line}\n")
    except BadManifestError as bad:
        return refuse("warehouse", f"{bad}")
    return DONE


def run_drop(chosen: argparse.Namespace) -> int:
    if find_spec("duckdb") is None:
        return refuse("warehouse", WITHOUT_DUCKDB)
    from iotriage.centre.retention import days_to_drop, drop_days
    from iotriage.centre.shards import BusyError
    from iotriage.centre.warehouse.manifest import BadManifestError

    today = datetime.now(UTC).date()
    before = today - timedelta(days=chosen.keep_days)
    documents_before = max(before, today - timedelta(days=chosen.keep_documents_days or chosen.keep_days))
    root = chosen.warehouse.absolute()
    if (chosen.keep_documents_days or 0) > chosen.keep_days:
        return refuse("warehouse", "--keep-documents-days is at most --keep-days: documents go with their day")
    try:
        days_of(root)
        dropped = (days_to_drop if chosen.dry_run else drop_days)(root, before, documents_before)
    except (BusyError, BadManifestError, NoDaysError) as problem:
        return refuse("warehouse", f"{problem}")
    except OSError as problem:
        return refuse("warehouse", f"{problem.filename or root}: {problem.strerror or problem}")
    verb = "would lose" if chosen.dry_run else "lost"
    lost = [f"{plural(len(dropped.days), 'day')} before {before}"]
    if chosen.keep_documents_days is not None:
        lost.append(f"the documents of {plural(len(dropped.without_documents), 'day')} before {documents_before}")
    sys.stdout.write(f"{root} {verb} {', and '.join(lost)}\n")
    return DONE
