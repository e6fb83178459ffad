"""What it takes to judge a centre's days from the warehouse, and to drag a threshold over them. It asserts nothing.

    python bench/centre_judging.py [--days 4] [--until 16] [--logs 20000] [--warehouse FOLDER]

Logs are rows of the samples, drawn at random, their figures spread by up to two either way so that no column is the
same number again and again. The days from `--days` to `--until` repeat these under other names, with the columns alone
that dragging the threshold looks at, and judged as they are: a year (`--until 365`) is there in minutes. Processor
seconds are those of this process with all its threads.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from contextlib import closing
from datetime import date, timedelta
from functools import partial
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "backend" / "tests" / "golden")]
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "backend" / "tests" / "centre")]

import duckdb
from judged_days import case_of, written
from measured import measured
from sample_documents import sources_of
from samples import cases

from iotriage.centre.judging.cached_days import KEY, cached_days, cached_files
from iotriage.centre.judging.days import number_logs, question_of_days
from iotriage.centre.judging.population import moved, population
from iotriage.centre.judging.resettled import settled_under
from iotriage.centre.judging.rules import in_force, judged_rules
from iotriage.centre.judging.verdicts import WEIGHED_BY, judge
from iotriage.centre.warehouse.columns import columns_of
from iotriage.centre.warehouse.literal import literal
from iotriage.centre.warehouse.manifest import CountedFile, day_folder, days_in, new_manifest, write_manifest
from iotriage.centre.warehouse.metrics_used import store_metrics_used
from iotriage.centre.warehouse.reading import connected, opened

LAST = date(2026, 11, 20)
RULE, THRESHOLD = "small-io", "small-io.fraction"
LOGS_TOGETHER = 7
"""Days that are judged at once, so that memory stays flat."""


def samples(folder: Path) -> Path:
    found = (case_of(str(case), sources_of(case.sources)) for case in cases())
    return written(folder, [case for case in found if case is not None])


def taken(connection: duckdb.DuckDBPyConnection, warehouse: Path) -> None:
    """The samples' rows as tables, with the number of the log in both."""
    with closing(opened(warehouse, days_in(warehouse))) as read:
        for table, view in (("steps", "logs"), ("groups", "groups")):
            read.execute(f"COPY (FROM {view}) TO {literal(warehouse / f'{table}.parquet')} (FORMAT parquet)")
    steps = literal(warehouse / "steps.parquet")
    connection.execute(f"CREATE TABLE sample_steps AS SELECT row_number() OVER () - 1 AS k, * FROM {steps}")
    connection.execute(
        "CREATE TABLE sample_groups AS SELECT s.k, g.* "
        f'FROM {literal(warehouse / "groups.parquet")} g JOIN sample_steps s USING ("row")'
    )


def make_day(connection: duckdb.DuckDBPyConnection, root: Path, day: date, logs: int) -> None:
    folder = day_folder(root, day)
    folder.mkdir(parents=True, exist_ok=True)
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE drawn AS SELECT n, md5('{day}' || n) AS name, "
        f"(hash(n, '{day}') % (SELECT count(*) FROM sample_steps))::BIGINT AS k, "
        f"pow(2, (hash('{day}', n) % 2000) / 1000.0 - 1) AS times FROM range({logs}) t(n)"
    )
    own = {
        "row": "d.name",
        "path": f"'/logs/{day}/' || d.n",
        "content": "sha256(d.name)",
        "run": "d.name",
        "job_id": "(1000000 + d.n // 4)::VARCHAR",
        "uid": "(10000 + hash(d.n // 4) % 400)::BIGINT",
        "nnodes": "(1 + d.n % 40)::BIGINT",
    }
    files = []
    for table in ("steps", "groups"):
        columns = ", ".join(_column(name, kind, own) for name, kind in columns_of(table).items())
        name = f"{table}-0of1-0.parquet"
        connection.execute(
            f"COPY (SELECT {columns} FROM drawn d JOIN sample_{table} s USING (k)) "
            f"TO {literal(folder / name)} (FORMAT parquet, COMPRESSION zstd)"
        )
        files.append(CountedFile(table, name, logs))
    write_manifest(folder, "0of1", new_manifest("bench", files))


def _column(name: str, kind: str, own: dict[str, str]) -> str:
    if name in own:
        return f'{own[name]} AS "{name}"'
    if kind == "DOUBLE" and "." in name and "fraction" not in name:
        return f's."{name}" * d.times AS "{name}"'
    return f's."{name}"'


def repeat_day(connection: duckdb.DuckDBPyConnection, root: Path, day: date, of: date) -> None:
    """Logs whose numbers within their day are those of the other day's, but for bits that the new day turns."""
    folder = day_folder(root, day)
    folder.mkdir(parents=True, exist_ok=True)
    turned = f"hash('{day}')"
    row = f"printf('%016x', xor({KEY}, {turned})) || \"row\"[17:]"
    own = {"row": row, "path": f"'/logs/{day}/' || ({row})", "content": row, "run": row}
    rule = next(rule for rule in judged_rules() if rule.id == RULE)
    files, manifest = [], next(day_folder(root, of).glob("manifest-*.json"))
    for file in json.loads(manifest.read_bytes())["files"]:
        table, name = file["table"], f"{file['table']}-0of1-1.parquet"
        wanted = [id for id in columns_of(table) if id in _NAMED or id in rule.looks_at or id in WEIGHED_BY]
        columns = ", ".join(f'{own.get(id, chr(34) + id + chr(34))} AS "{id}"' for id in wanted)
        read = literal(day_folder(root, of) / file["name"])
        connection.execute(
            f"COPY (SELECT {columns} FROM {read}) TO {literal(folder / name)} (FORMAT parquet, COMPRESSION zstd)"
        )
        files.append(CountedFile(table, name, file["rows"]))
    write_manifest(folder, "0of1", new_manifest("bench", files))
    for before, now in zip(*(files.paths for files in cached_files(root, [of, day])), strict=True):
        connection.execute(
            f"COPY (SELECT * REPLACE (DATE '{day}' AS day, xor(key, {turned}) AS key) FROM {literal(before)}) "
            f"TO {literal(now)} (FORMAT parquet, COMPRESSION zstd)"
        )


_NAMED = {
    *("row", "id", "position", "outcome", "path", "modified_ns", "run", "partial_log", "content", "looked_at", "cells"),
    *("site", "uid", "job_id", "executable", "nprocs", "nnodes", "start_time", "runtime_s", "savings", "lower_bounds"),
}


def settled(root: Path, days: Iterable[date]) -> int:
    """All findings of the days, some days at once."""
    found, waiting = 0, list(days)
    while waiting:
        asked = question_of_days(judged_rules(), in_force())
        with closing(opened(root, waiting[:LOGS_TOGETHER], asked.metrics_read)) as connection:
            number_logs(connection)
            found += len(judge(connection, asked).findings.log)
        waiting = waiting[LOGS_TOGETHER:]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=4)
    parser.add_argument("--until", type=int, default=16)
    parser.add_argument("--logs", type=int, default=20_000)
    parser.add_argument("--warehouse", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = chosen.warehouse or Path(scratch) / "centre"
        days = make_days(root, chosen.days, chosen.until, chosen.logs)
        for length in (1, chosen.days):
            measured(f"{length} days: all findings settled", partial(settled, root, days[:length]))
        for length in (chosen.until // 4, chosen.until // 2, chosen.until):
            asked = (root, RULE, THRESHOLD, days[length - 1], LAST)
            measured(f"{length} days: a rule's distribution, first time", partial(population, *asked))
            measured(f"{length} days: its threshold dragged", partial(moved, *asked, 0.35, ()))
            measured(f"{length} days: all findings then, first time", partial(settled_under, *asked, 0.35))
            found = settled_under(*asked, 0.5)
            what = f"{length} days: all findings at another number ({found.logs:,} logs)"
            measured(what, partial(settled_under, *asked, 0.5))


def make_days(root: Path, days: int, until: int, logs: int) -> list[date]:
    """Youngest first. Those that are there stay."""
    root.mkdir(exist_ok=True)
    store_metrics_used(root)
    wanted = [LAST - timedelta(days=n) for n in range(max(days, until))]
    with closing(connected(root)) as connection, tempfile.TemporaryDirectory() as scratch:
        if not all(day_folder(root, day).exists() for day in wanted[:days]):
            taken(connection, samples(Path(scratch)))
        for day in wanted[:days]:
            if not day_folder(root, day).exists():
                make_day(connection, root, day, logs)
            cached_days(root, [day], 1)
        for n, day in enumerate(wanted[days:]):
            if not day_folder(root, day).exists():
                repeat_day(connection, root, day, wanted[n % days])
    return wanted


if __name__ == "__main__":
    main()
