"""`/metrics`: what the server does, in the text that Prometheus reads. It has figures of the service and no names of
people, cases or files; a token of the helpdesk's with the scope `read` opens it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, time
from pathlib import Path

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from starlette.responses import Response

from iotriage.api.guard.policies import HELPDESK_READS
from iotriage.api.routers import service_router
from iotriage.api.services import Here, ReadSession
from iotriage.centre.last_runs import LastRun, LastTry, last_runs, last_tries
from iotriage.centre.warehouse.manifest import days_in
from iotriage.intake.queue import QueueLoad
from iotriage.settings import Settings
from iotriage.store.tables import CaseRow, CaseSourceRow, SourceRow

router = service_router()


@router.get("/metrics", dependencies=[HELPDESK_READS], response_class=Response, include_in_schema=False)
def monitoring(services: Here, session: ReadSession) -> Response:
    """Counters since the server began, and how things stand now."""
    now = CollectorRegistry()
    now.register(_MetricsCollector(_queue(services.queue.load())))
    now.register(_MetricsCollector(_stored(session)))
    if services.settings.warehouse is not None:
        now.register(_MetricsCollector(_ingested(last_runs(services.settings.warehouse))))
        now.register(_MetricsCollector(_begun(last_tries(services.settings.warehouse))))
        now.register(_MetricsCollector(_newest_day(services.settings.warehouse)))
    now.register(_MetricsCollector(_room(services.settings)))
    return Response(generate_latest(services.meters.registry) + generate_latest(now), media_type=CONTENT_TYPE_LATEST)


class _MetricsCollector(Collector):
    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = tuple(metrics)

    def collect(self) -> Iterable[Metric]:
        return self._metrics


def _queue(load: QueueLoad) -> Iterator[Metric]:
    yield GaugeMetricFamily("iotriage_tasks_waiting", "Cases and views that wait for a process.", load.waiting)
    yield GaugeMetricFamily("iotriage_tasks_running", "Cases and views that a process works on.", load.running)
    yield GaugeMetricFamily("iotriage_tasks_slow", "Of these, those that took a second of CPU or more.", load.slow)


def _stored(session: Session) -> Iterator[Metric]:
    cases = GaugeMetricFamily("iotriage_cases", "Cases by status.", labels=["status"])
    for status, count in session.execute(select(CaseRow.status, func.count()).group_by(CaseRow.status)):
        cases.add_metric([status], count)
    yield cases
    sources = GaugeMetricFamily(
        "iotriage_case_sources", "Sources of cases by how reading them went.", labels=["status"]
    )
    for how, count in session.execute(select(CaseSourceRow.status, func.count()).group_by(CaseSourceRow.status)):
        sources.add_metric([how], count)
    yield sources
    stored = session.execute(select(func.coalesce(func.sum(SourceRow.size_bytes), 0))).scalar_one()
    yield GaugeMetricFamily("iotriage_stored_bytes", "What the sources take.", float(stored))


def _room(settings: Settings) -> Iterator[Metric]:
    """Of a folder that is away for now nothing is said."""
    free = GaugeMetricFamily(
        "iotriage_free_bytes", "What the file system of the folder has left for this user.", labels=["folder"]
    )
    for name, folder in (("data", settings.data_dir), ("warehouse", settings.warehouse)):
        if folder is not None:
            with suppress(OSError):
                free.add_metric([name], shutil.disk_usage(folder).free)
    yield free


def _begun(tries: Iterable[LastTry]) -> Iterator[Metric]:
    where = ["folder", "shard"]
    began = GaugeMetricFamily(
        "iotriage_ingest_began_timestamp_seconds", "When `iotriage ingest` last began.", labels=where
    )
    refused = GaugeMetricFamily(
        "iotriage_ingest_last_failed", "1 where the run that began last said why it failed, else 0.", labels=where
    )
    for begun in tries:
        began.add_metric([begun.folder, begun.shard], begun.began)
        refused.add_metric([begun.folder, begun.shard], int(begun.why is not None))
    yield from (began, refused)


def _newest_day(warehouse: Path) -> Iterator[Metric]:
    newest = GaugeMetricFamily(
        "iotriage_warehouse_newest_day_timestamp_seconds", "Begin of the newest day in UTC that the warehouse has."
    )
    day = max(days_in(warehouse), default=None)
    if day is not None:
        newest.add_metric([], datetime.combine(day, time(), UTC).timestamp())
    yield newest


def _ingested(runs: Iterable[LastRun]) -> Iterator[Metric]:
    where = ["folder", "shard"]
    ended = GaugeMetricFamily(
        "iotriage_ingest_ended_timestamp_seconds", "When `iotriage ingest` last came to its end.", labels=where
    )
    took = GaugeMetricFamily("iotriage_ingest_duration_seconds", "How long that took.", labels=where)
    newest = GaugeMetricFamily(
        "iotriage_ingest_newest_day_timestamp_seconds", "Begin of the newest day of logs in UTC.", labels=where
    )
    logs = GaugeMetricFamily("iotriage_ingest_logs", "Logs of that run by outcome.", labels=[*where, "outcome"])
    unlisted = GaugeMetricFamily(
        "iotriage_ingest_unlisted_folders", "Folders that could not be looked into: logs are missing.", labels=where
    )
    failed = GaugeMetricFamily("iotriage_ingest_failed_logs", "Logs that failed, by reason.", labels=[*where, "reason"])
    for run in runs:
        place = [run.folder, run.shard]
        ended.add_metric(place, run.ended)
        took.add_metric(place, run.seconds)
        unlisted.add_metric(place, run.unlisted)
        if run.newest_day is not None:
            newest.add_metric(place, datetime.combine(run.newest_day, time(), UTC).timestamp())
        of_outcome = {"known": run.known, "read": run.read, "failed": run.failed, "copies": run.copies}
        for outcome, count in of_outcome.items():
            logs.add_metric([*place, outcome], count)
        for reason, count in run.reasons.items():
            failed.add_metric([*place, reason], count)
    yield from (ended, took, newest, logs, failed, unlisted)
