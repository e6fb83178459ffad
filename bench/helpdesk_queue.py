"""The helpdesk's queue of 50,000 cases on SQLite and PostgreSQL: processor time that the server takes for an answer.

`python bench/helpdesk_queue.py` prints a table. The application runs in this process and is asked through its own
client; of PostgreSQL the time of the connection's own process is added, so that what waits for a busy machine does not
count. A third of the entries are tickets. Nothing is asserted.
"""

from __future__ import annotations

import logging
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "backend" / "tests")]

import structlog
from postgresql_cluster import NoPostgresqlError, new_database, scratch_cluster
from sqlalchemy import insert, text
from starlette.testclient import TestClient

from iotriage.analysis.portrait import portrait_of
from iotriage.api.app import create_app
from iotriage.diagnosis import diagnose
from iotriage.settings import Settings
from iotriage.store.case_facts import PORTRAIT
from iotriage.store.database import Database
from iotriage.store.queue_entries import SEVERITY_ORDER
from iotriage.store.search_text import words_of
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import CaseFactsRow, CaseFindingRow, QueueEntryRow, SearchTextRow, TicketRow

ENTRIES = 50_000
TICKET_EACH = 3
WORDS_EACH = 120
AT_ONCE = 5_000
REPEATS = 21
SEED = 1
ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample-logs/darshan_log/09-coll-subarray-cb-enable/09-coll-subarray-cb-enable.darshan"
RULES = ("single-aggregator", "metadata-bound", "read-modify-write", "small-io", "serial-io", "fpp-many-files")
SEVERITIES = ("high", "medium", "low", "info", "clear", "unknown")
STATUSES = ("new", "in work", "waiting", "answered", "closed")
APPLICATIONS = ("cfd_les.x", "specfem", "lesgo", "icon", "gadget4", "openfoam", "namd3", "vasp_std", "cp2k.psmp")

ASKED: Mapping[str, Mapping[str, str]] = {
    "first page": {},
    "first page, by age": {"sort": "oldest"},
    "first page, by node-hours": {"sort": "node-hours"},
    "one rule, high, in work": {"rule": "small-io", "severity": "high", "status": "in work"},
    "one user": {"user": "20417"},
    "without owner, older than a week": {"unowned": "true", "older_than_h": "168"},
    "a word that few have": {"words": "nid004711"},
    "a word that a ninth has": {"words": "specfem"},
    "a word that all have": {"words": "work"},
    "a word that all have, high, in work": {"words": "work", "severity": "high", "status": "in work"},
    "three words": {"words": "specfem out 0042"},
}


def fill(database: Database) -> None:
    """As the store writes it, many at once; a real case's portrait for each."""
    drawn = random.Random(SEED)
    portrait = portrait_of(diagnose(SAMPLE).document)
    drawn_portrait = None if portrait is None else PORTRAIT.dump_json(portrait).decode()
    now = datetime.now(UTC)
    for first in range(0, ENTRIES, AT_ONCE):
        rows = [_entry(drawn, i, now) for i in range(first, first + AT_ONCE)]
        with database.writing() as session, session.begin():
            session.execute(insert(CaseRow), [_case(row) for row in rows])
            session.execute(insert(TicketRow), [_ticket(row) for row in rows if row["ticket_id"] is not None])
            session.execute(
                insert(CaseFactsRow),
                [{"case_id": r["case_id"], "rule": r["rule"], "portrait": drawn_portrait} for r in rows],
            )
            session.execute(insert(CaseFindingRow), [f for row in rows for f in _findings(drawn, row)])
            session.execute(insert(QueueEntryRow), rows)
            session.execute(insert(SearchTextRow), [_text(drawn, row) for row in rows])
    with database.engine.connect() as connection:
        connection.execute(text("ANALYZE"))
        connection.commit()


def _entry(drawn: random.Random, i: int, now: datetime) -> dict[str, object]:
    severity, status = drawn.choice(SEVERITIES), drawn.choice(STATUSES) if i % TICKET_EACH == 0 else "new"
    lost = round(drawn.expovariate(1 / 300), 3)
    at = now - timedelta(minutes=10 * (ENTRIES - i))
    return {
        "id": i + 1,
        "ticket_id": i + 1 if i % TICKET_EACH == 0 else None,
        "case_id": f"case{i:012d}",
        "reference": f"RT-{80000 + i}" if i % TICKET_EACH == 0 else None,
        "title": f"job {4_000_000 + i}",
        "status": status,
        "owner": f"hd-{drawn.randrange(12):02d}" if i % TICKET_EACH == 0 else None,
        "answered": status in ("waiting", "answered", "closed"),
        "severity": severity,
        "severity_order": SEVERITY_ORDER[severity],
        "rule": drawn.choice(RULES),
        "headline": "One rank writes everything, although all calls are collective. That takes 8 min.",
        "job_id": str(4_000_000 + i // 2),
        "system": drawn.choice(("archer2", "theta")),
        "user": str(20_000 + drawn.randrange(900)),
        "project": f"e{drawn.randrange(400)}",
        "application": drawn.choice(APPLICATIONS),
        "io_time_s": lost * 1.3,
        "io_time_fraction": drawn.random(),
        "lost_s": lost,
        "node_hours": lost * drawn.choice((1, 8, 64)) / 3600,
        "could_save_s": lost * 0.8,
        "saves_order": -lost * 0.8,
        "cases": 1,
        "version": 1,
        "created_at": at,
        "changed_at": at,
    }


def _case(row: Mapping[str, object]) -> dict[str, object]:
    same = ("title", "job_id", "severity", "headline", "io_time_s", "io_time_fraction", "created_at")
    return {
        **{name: row[name] for name in same},
        "id": row["case_id"],
        "status": "ready",
        "renewals": 0,
        "renewed_by": "",
        "attempts": 0,
    }


def _ticket(row: Mapping[str, object]) -> dict[str, object]:
    same = ("reference", "status", "owner", "created_at", "changed_at", "version")
    return {**{name: row[name] for name in same}, "id": row["ticket_id"], "subject": "", "created_by": "hd-01"}


def _findings(drawn: random.Random, row: Mapping[str, object]) -> Iterator[dict[str, object]]:
    for position, rule in enumerate(drawn.sample(RULES, 3)):
        yield {"case_id": row["case_id"], "rule": rule, "position": position, "severity": "low"}


def _text(drawn: random.Random, row: Mapping[str, object]) -> dict[str, object]:
    own = [str(row[name]) for name in ("rule", "job_id", "user", "project", "application")]
    names = [f"{drawn.randrange(10_000):04d}" for _ in range(WORDS_EACH // 2)]
    nodes = [f"nid{drawn.randrange(10_000):06d}" for _ in range(8)]
    runs = [f"run{drawn.randrange(5_000)}" for _ in range(WORDS_EACH // 2)]
    words = dict.fromkeys(words_of(" ".join(("work", "out", *own, *names, *nodes, *runs))))
    return {"case_id": row["case_id"], "entry_id": row["id"], "words": " ".join(words)}


def measure(url: str, folder: Path) -> None:
    database = Database(url)
    database.migrate()
    begun = time.process_time()
    fill(database)
    database.close()
    print(f"  {'making them':<46}{time.process_time() - begun:9.1f} s CPU")
    settings = Settings(data_dir=folder, database_url=url, samples_dir=folder, renew=False, open_loopback=True)
    app = create_app(settings)
    with TestClient(app, base_url="http://127.0.0.1:8200") as client:
        for title, asked in ASKED.items():
            _print(client, url, title, asked)
        page = client.get("/api/v1/queue", params={"limit": 200}).json()
        for _ in range(20):
            page = client.get("/api/v1/queue", params={"limit": 200, "cursor": page["next"]}).json()
        _print(client, url, "page 21 of 200 entries each", {"limit": "200", "cursor": page["next"]})
        _print(client, url, "jobs like this one", {}, f"/api/v1/cases/case{ENTRIES // 2:012d}/similar")


def _print(client: TestClient, url: str, title: str, asked: Mapping[str, str], address: str = "/api/v1/queue") -> None:
    took, waited, found = [], [], 0
    for _ in range(REPEATS):
        before, since = _spent(url), time.perf_counter()
        answer = client.get(address, params=dict(asked))
        waited.append(time.perf_counter() - since)
        took.append(_spent(url) - before)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        found = len(body) if isinstance(body, list) else (body["counts"] or {"total": len(body["entries"])})["total"]
    median, clock = statistics.median(took) * 1000, statistics.median(waited) * 1000
    print(f"  {title:<46}{median:9.1f} ms CPU  {clock:8.1f} ms by the clock   {found:6} found", flush=True)


def _spent(url: str) -> float:
    """Seconds of this process and, on PostgreSQL, of those that serve it."""
    return time.process_time() + (sum(map(_on_processor, _servers())) if url.startswith("postgresql") else 0.0)


def _servers() -> Iterator[Path]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if b"postgres: iotriage" in (folder / "cmdline").read_bytes():
                    yield folder
            except OSError:
                continue


def _on_processor(process: Path) -> float:
    try:
        return int((process / "schedstat").read_text().split()[0]) / 1e9
    except (OSError, IndexError):
        return 0.0


@contextmanager
def databases(folder: Path) -> Iterator[Mapping[str, str]]:
    given = os.environ.get("QUEUE_DATABASE")
    sqlite = {"SQLite": f"sqlite:///{folder / 'queue.sqlite3'}"}
    if given == "sqlite":
        yield sqlite
        return
    try:
        with scratch_cluster() as cluster, new_database(cluster.url) as url:
            yield {**sqlite, "PostgreSQL": url}
    except NoPostgresqlError as reason:
        print(f"  not on PostgreSQL: {reason}")
        yield sqlite


def main() -> None:
    # A line for each request would hide the table.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with tempfile.TemporaryDirectory(prefix="iotriage-bench-") as name, databases(Path(name)) as urls:
        for title, url in urls.items():
            print(f"A queue of {ENTRIES:,} entries on {title}: time of the server for an answer, median of {REPEATS}")
            measure(url, Path(name) / title)


if __name__ == "__main__":
    main()
