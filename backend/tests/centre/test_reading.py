"""Views over a warehouse's days: of the metrics that are asked, and the same of few rows as of many."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from centre_logs import Digest, digest

from iotriage.centre.warehouse import reading
from iotriage.centre.warehouse.columns import Table, columns_read
from iotriage.centre.warehouse.literal import literal
from iotriage.centre.warehouse.manifest import counted, days_in
from iotriage.centre.warehouse.reading import opened


def test_few_rows_are_read_as_many_are(
    small_warehouse: Path, small_digest: Digest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "FEW_ROWS", 0)
    assert digest(small_warehouse) == small_digest


@pytest.mark.parametrize("few_rows", [reading.FEW_ROWS, 0])
def test_metrics_that_are_asked_are_all_that_there_are(
    small_warehouse: Path, few_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "FEW_ROWS", few_rows)
    asked: dict[Table, list[str]] = {"steps": ["io.bytes", "posix.writes"], "groups": ["io.bytes"]}
    query = 'SELECT "row", outcome, "io.bytes", "posix.writes" FROM logs ORDER BY "row"'
    of_groups = 'SELECT "row", id, "io.bytes" FROM groups ORDER BY ALL'
    with (
        closing(opened(small_warehouse, days_in(small_warehouse))) as whole,
        closing(opened(small_warehouse, days_in(small_warehouse), asked)) as narrow,
    ):
        for question in (query, of_groups):
            assert narrow.execute(question).fetchall() == whole.execute(question).fetchall()
        assert set(columns_read("steps", asked)) < {name for name, *_ in whole.execute("DESCRIBE logs").fetchall()}
        named = {name for name, *_ in narrow.execute("DESCRIBE logs").fetchall()}
        assert named == {*columns_read("steps", asked), "day"}


@pytest.mark.parametrize("few_rows", [reading.FEW_ROWS, 0])
def test_a_column_that_a_file_lacks_is_null_in_it(
    copied_warehouse: Path, few_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in what an earlier version wrote."""
    monkeypatch.setattr(reading, "FEW_ROWS", few_rows)
    for path in counted(copied_warehouse, days_in(copied_warehouse))["steps"].paths:
        with closing(duckdb.connect()) as connection:
            connection.execute(f"CREATE TABLE before AS FROM read_parquet({literal(path)}, hive_partitioning = false)")
            connection.execute('ALTER TABLE before DROP COLUMN "io.bytes"')
            connection.execute(f"COPY before TO {literal(path)} (FORMAT parquet)")
    with closing(opened(copied_warehouse, days_in(copied_warehouse), {"steps": ["io.bytes"]})) as connection:
        assert connection.execute('SELECT count(*), count("io.bytes") FROM logs').fetchall() == [(12, 0)]


def test_the_queries_of_the_handbook_are_answered(small_warehouse: Path) -> None:
    handbook = (Path(__file__).parents[3] / "docs" / "centre.md").read_text(encoding="utf-8")
    (queries,) = re.findall(r"```sql\n(.*?)```", handbook, re.DOTALL)
    with closing(duckdb.connect()) as connection:
        *declared, written, lacking = connection.extract_statements(queries.replace("/data/io", str(small_warehouse)))
        for statement in declared:
            connection.execute(statement)
        most = connection.execute(written).fetchall()
        assert (len(most), most[0][2:]) == (15, (40_000_000.0, False))
        assert [logs for _, logs in connection.execute(lacking).fetchall()] == [10]
