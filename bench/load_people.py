"""Who uploads and who looks, each from a loopback address of their own: a server that counts by client sees many."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from load_inputs import Upload

ANSWER_S, PATIENCE_S = 60.0, 90.0
WAIT_S = 5
"""So long the answer may wait for a change of the case; servers that do not know this answer at once."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.02, 0.25
THINKING_S = float(os.environ.get("LOAD_THINKING_S", "10"))
"""So long a person looks at a case on average, between half of that and one and a half times: who reads the sentence on
top and the figures below it takes longer."""
VIEWS = (
    "findings",
    "metrics",
    "files",
    "export/plain",
    "export/markdown",
    "export/json",
    "files.csv",
)


@dataclass(frozen=True, slots=True)
class Done:
    """One upload: when it was to begin, seconds until its case was settled (None: never), and as what."""

    upload: Upload
    sha256: str
    case_id: str | None
    seconds: float | None
    status: str


@dataclass(slots=True)
class Tally:
    """What everybody was answered, by status; `failures` are connections that broke."""

    statuses: Counter[int] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    looks: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Person:
    """A client with a connection and an address of its own."""

    def __init__(self, port: int, number: int, tally: Tally) -> None:
        source = (f"127.0.{1 + number // 200}.{1 + number % 200}", 0)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, ANSWER_S, source)
        self._tally = tally

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Status and body; status 0 where the connection broke. As a browser does, one that the server closed meanwhile
        is opened again for what may be asked twice."""
        for attempt in (1, 2):
            try:
                status, content = self._asked(method, path, body)
            except (OSError, http.client.HTTPException) as broken:
                self._connection.close()
                if method == "POST" or attempt == 2:
                    with self._tally.lock:
                        self._tally.failures[type(broken).__name__] += 1
                    return 0, b""
            else:
                with self._tally.lock:
                    self._tally.statuses[status] += 1
                return status, content
        raise AssertionError("the second attempt answers")

    def _asked(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        headers = {"content-type": "application/json"} if method == "POST" else {}
        self._connection.request(method, f"/api/v1/{path}", body, headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def close(self) -> None:
        self._connection.close()


def give(person: Person, upload: Upload) -> Done:
    """Uploads it and asks for its case until that is settled."""
    sha256 = hashlib.sha256(upload.data).hexdigest()
    start = time.perf_counter()
    status, _ = person.ask("PUT", f"sources/{sha256}", upload.data)
    if status not in (200, 201):
        return Done(upload, sha256, None, None, f"upload answered {status}")
    # Texts that were drawn of one sample name its job, and would become one case.
    given = json.dumps({"sources": [{"sha256": sha256, "name": upload.name}], "alone": True}).encode()
    status, content = person.ask("POST", "cases", given)
    if status != 201:
        return Done(upload, sha256, None, None, f"case answered {status}")
    case_id: str = json.loads(content)["id"]
    pause = FIRST_PAUSE_S
    while time.perf_counter() - start < PATIENCE_S:
        status, content = person.ask("GET", f"cases/{case_id}?wait={WAIT_S}")
        passed = time.perf_counter() - start
        became = settled(content) if status == 200 else None
        if became:
            return Done(upload, sha256, case_id, passed, became)
        time.sleep(pause)
        pause = min(LONGEST_PAUSE_S, pause * 1.2)
    return Done(upload, sha256, case_id, None, "never settled")


def settled(content: bytes) -> str | None:
    """ "ready" or "failed"; the status stands before the document, which is not parsed here."""
    head, _, _ = content.partition(b'"sources"')
    return next((word for word in ("ready", "failed") if f'"status":"{word}"'.encode() in head), None)


class Uploads:
    """Gives each upload at its time, whether or not those before have been answered."""

    def __init__(self, port: int, tally: Tally, people: int) -> None:
        self.done: list[Done] = []
        self._port = port
        self._tally = tally
        self._people = people
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    def run(self, given: Sequence[Upload], each_s: float) -> None:
        start = time.monotonic()
        for number, upload in enumerate(given):
            time.sleep(max(0.0, start + number * each_s - time.monotonic()))
            thread = threading.Thread(target=self._give, args=(number % self._people, upload), daemon=True)
            thread.start()
            self._threads.append(thread)
        for thread in self._threads:
            thread.join()

    def _give(self, number: int, upload: Upload) -> None:
        person = Person(self._port, number, self._tally)
        done = give(person, upload)
        person.close()
        with self._lock:
            self.done.append(done)


class Viewers:
    """People who open the list, a case of it, and a view of that case, and think in between."""

    def __init__(self, port: int, tally: Tally, count: int, first: int) -> None:
        self._ended = threading.Event()
        self._tally = tally
        self._threads = [
            threading.Thread(target=self._look, args=(Person(port, first + number, tally), number), daemon=True)
            for number in range(count)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _look(self, person: Person, seed: int) -> None:
        draw = random.Random(seed)
        while not self._ended.wait(draw.uniform(THINKING_S / 2, 1.5 * THINKING_S)):
            status, content = person.ask("GET", "cases?limit=50")
            ready = [c["id"] for c in json.loads(content)["cases"] if c["status"] == "ready"] if status == 200 else []
            if ready:
                case_id = draw.choice(ready)
                person.ask("GET", f"cases/{case_id}")
                person.ask("GET", f"cases/{case_id}/{draw.choice(VIEWS)}")
                with self._tally.lock:
                    self._tally.looks += 1
        person.close()
