"""What Prometheus is told is what happened."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from iotriage.centre.last_runs import LastRun, LastTry, write_last_run, write_last_try

from ..conftest import SAMPLE_LOGS, Api, Start

Values = dict[tuple[str, frozenset[str]], float]
"""By the name and the values of the labels."""
LOG = SAMPLE_LOGS / "darshan_log" / "lustre-ssf-one-stripe" / "lustre-ssf-one-stripe.darshan"


def asked(api: Api) -> Values:
    answer = api.client.get("/metrics")
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.text)
    return {(s.name, frozenset(s.labels.values())): s.value for family in families for s in family.samples}


def test_requests_cases_and_processor_time(api: Api) -> None:
    api.settle()
    before = asked(api)
    api.case(("job.darshan", LOG.read_bytes()), ("none.darshan", b"nothing"))
    api.settle()
    after = asked(api)
    put = ("iotriage_requests_total", frozenset({"PUT", "201"}))
    assert after[put] - before.get(put, 0) == 2
    assert after["iotriage_cases", frozenset({"ready"})] == 1
    assert (
        after["iotriage_case_sources", frozenset({"read"})]
        == after["iotriage_case_sources", frozenset({"failed"})]
        == 1
    )
    assert after["iotriage_stored_bytes", frozenset()] == LOG.stat().st_size + len(b"nothing")
    assert after["iotriage_tasks_waiting", frozenset()] == after["iotriage_tasks_running", frozenset()] == 0
    assert after["iotriage_task_cpu_seconds_count", frozenset()] >= 1
    assert after["iotriage_task_cpu_seconds_sum", frozenset()] > 0


def test_how_far_behind_the_ingest_is(start: Start, tmp_path: Path) -> None:
    warehouse = tmp_path / "warehouse"
    warehouse.mkdir()
    run = LastRun("/logs", "0-of-1", 1_795_000_000.0, 62.5, date(2026, 11, 20), 15, 0, 10, 3, 2, {"damaged": 3})
    write_last_run(warehouse, run)
    write_last_try(warehouse, LastTry("/logs", "0-of-1", 1_795_086_400.0, "there is no such folder"))
    (warehouse / "year=2026" / "month=11" / "day=20").mkdir(parents=True)
    with start(warehouse=warehouse) as api:
        found = asked(api)
    place = frozenset({"/logs", "0-of-1"})
    assert found["iotriage_ingest_ended_timestamp_seconds", place] == 1_795_000_000
    assert found["iotriage_ingest_duration_seconds", place] == 62.5
    newest = datetime(2026, 11, 20, tzinfo=UTC).timestamp()
    assert found["iotriage_ingest_newest_day_timestamp_seconds", place] == newest
    assert found["iotriage_warehouse_newest_day_timestamp_seconds", frozenset()] == newest
    assert found["iotriage_ingest_began_timestamp_seconds", place] == 1_795_086_400
    assert found["iotriage_ingest_last_failed", place] == 1
    assert found["iotriage_free_bytes", frozenset({"warehouse"})] > 0
    assert found["iotriage_ingest_logs", place | {"failed"}] == 3
    assert found["iotriage_ingest_failed_logs", place | {"damaged"}] == 3


def test_without_a_warehouse_nothing_is_said_of_one(api: Api) -> None:
    found = asked(api)
    assert not [name for name, _ in found if name.startswith(("iotriage_ingest", "iotriage_warehouse"))]
    assert [labels for name, labels in found if name == "iotriage_free_bytes"] == [frozenset({"data"})]
