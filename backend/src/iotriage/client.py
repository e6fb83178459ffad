"""A client of the HTTP API for programs, with the standard library alone: uploads logs, and answers what was found.

What it reads is what `docs/contract.md` promises, and no more:

    client = Client("http://127.0.0.1:8200")
    case = client.upload([Path("job.darshan"), Path("job.err")])
    found = client.diagnosis(case.id)
    print(found.headline.sentence, [f.rule for f in found.findings if f.verdict == "triggered"])
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO, TypeAlias
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from iotriage_parsers.frozen import frozen

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_ASK_AGAIN_S, _WAIT_S = 0.2, 5

_NOT_TO_BE_HAD = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)

_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+")
_ADDRESS = re.compile(r"https?://[!-~]+")


class ClientError(Exception):
    """The service refused the request, or its answer breaks the contract. `status` is the HTTP status, and None for
    such an answer."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class NoAnswerError(ClientError):
    """The service cannot be reached, or is temporarily unavailable; a later try may succeed."""


class NoDiagnosisError(ClientError):
    """The case could not be read, or was not read within the time allowed."""


@frozen
class Case:
    """`status` is "reading", "ready" or "failed"; `message` says why it failed, where that is known. `joined` has the
    ids of cases of the same job that became parts of this one, with the reason; their addresses lead to it. `already`
    has the ids of earlier cases with all of the uploaded files; only `upload` sets it."""

    id: str
    status: str
    title: str
    message: str | None
    joined: Mapping[str, str] = field(default_factory=dict)
    already: tuple[str, ...] = ()


@frozen
class OfTicket:
    """The ticket that a case belongs to; whether the case ran "before" or "after" what was advised; and whether the
    ticket was opened for it. `presumed` means that the role is a guess until the case is read and shows when its job
    began."""

    ticket: int
    role: str
    opened: bool
    presumed: bool = False


@frozen
class Headline:
    """What is wrong, and the rule that says so: None where no finding does. `figure` is its number, a sentence; None
    where there is none, or `sentence` has it."""

    rule: str | None
    sentence: str
    severity: str
    figure: str | None


@frozen
class Finding:
    """`explained_by` is the rule whose finding accounts for this one. `takes_s` are the seconds of the I/O time that
    this one accounts for. Its cure could save from `could_save_at_least_s` to `could_save_s`. None is "not known"."""

    rule: str
    verdict: str
    severity: str
    explained_by: str | None
    takes_s: float | None = None
    could_save_s: float | None = None
    could_save_at_least_s: float | None = None


@frozen
class Metric:
    """`value` None is "not known", never 0."""

    value: float | str | None
    unit: str


@frozen
class Job:
    """None means "not recorded". Times are in seconds since 1970."""

    job_id: str | None
    uid: int | None
    executable: str | None
    command_line: str | None
    nprocs: int | None
    nnodes: int | None
    start_time: float | None
    end_time: float | None
    runtime_s: float | None


@frozen
class Source:
    """`kind` is the format that the source was read as; None where no format was recognised."""

    name: str
    kind: str | None
    status: str


@frozen
class Diagnosis:
    """Findings in reading order; metrics of the job by id."""

    headline: Headline
    findings: tuple[Finding, ...]
    metrics: Mapping[str, Metric]
    job: Job
    sources: tuple[Source, ...]


class Client:
    """A client of the service at `url`, which includes the path prefix under which it is served. `token` is a token of
    the service; uploading takes one of scope "submit" at least. Methods raise `NoAnswerError` where the service
    cannot be reached, and OSError for a file that cannot be read."""

    def __init__(self, url: str, timeout_s: float = 60.0, token: str | None = None) -> None:
        if not _is_address(url):
            raise ValueError(f"{url!r} is no address of a web service")
        self._api = f"{url.rstrip('/')}/api/v1"
        self._timeout_s = timeout_s
        self._token = token
        if token is not None and _TOKEN.fullmatch(token) is None:
            # What is refused further on is shown there.
            raise ValueError("that is not a token: it is one word of letters, digits and -._~+/=")
        # What goes to this machine goes to no proxy, and a token not in the clear over the network.
        self._opener = build_opener(*([ProxyHandler({})] if is_loopback(url) else []))

    def upload(self, paths: Sequence[Path | str], site: str | None = None, *, alone: bool = False) -> Case:
        """A new case of these files, the sources of one job. It is read in the background: `diagnosis` waits for it.
        `site` is the profile to judge by; without one the evidence decides. Once it is read it becomes part of a case
        of the same job that is there already, to which its id leads, unless it is to stay `alone`."""
        given: list[Json] = [
            {"sha256": self._upload(Path(path)), "name": _printable(Path(path).name)} for path in paths
        ]
        asked: dict[str, Json] = {"sources": given, "site": site}
        if alone:
            # A server of before knows no such field, and leaves every case alone.
            asked["alone"] = True
        made = _fields(self._ask("POST", "/cases", asked))
        # A server of before says nothing of it.
        already = made.get("already")
        before = tuple(id for id in already if isinstance(id, str)) if isinstance(already, list) else ()
        return replace(self.case(_text(made, "id")), already=before)

    def give_to_ticket(self, id: str, ticket: str, role: str | None = None) -> OfTicket:
        """Gives the case to a ticket, by its reference or its number; `role` is "before" or "after" what was advised,
        None where the server is to tell. It takes a token, or a server that is one's own."""
        given = _fields(self._ask("POST", f"/cases/{quote(id, safe='')}/ticket", {"ticket": ticket, "role": role}))
        number = _integer(given, "ticket")
        if number is None:
            raise ClientError("the ticket has no number")
        opened, presumed = (given.get(name) is True for name in ("opened", "presumed"))
        return OfTicket(number, _text(given, "role"), opened, presumed)

    def check_ticket(self, ticket: str) -> None:
        """Raises ClientError where `give_to_ticket` would refuse one of this person's cases for the ticket."""
        self._ask("GET", f"/ticket-to-give-to?name={quote(ticket, safe='')}")

    def case(self, id: str, wait_s: float = 0) -> Case:
        """The case, or the one that it was joined into. Where it is being read, waits for at most `wait_s` (10 at
        most)."""
        return _case(self._case(id, wait_s))

    def diagnosis(self, id: str, patience_s: float = 120.0) -> Diagnosis:
        """The diagnosis, once the case is read. NoDiagnosisError where it cannot be read, or was not read in time."""
        until = time.monotonic() + patience_s
        while True:
            answer = self._case(id, wait_s=_WAIT_S)
            case = _case(answer)
            if case.status != "reading":
                break
            if time.monotonic() > until:
                raise NoDiagnosisError(f"the case {id} is not read after {patience_s:g} s")
            time.sleep(_ASK_AGAIN_S)
        if answer.get("document") is None:
            raise NoDiagnosisError(f"the case {id} could not be read: {case.message or _why_unread(answer)}")
        return diagnosis_in(answer["document"])

    def _case(self, id: str, wait_s: float = 0) -> dict[str, Json]:
        return _fields(self._ask("GET", f"/cases/{quote(id, safe='')}?wait={wait_s:g}"))

    def _upload(self, path: Path) -> str:
        with path.open("rb") as source:
            sha256 = hashlib.file_digest(source, "sha256").hexdigest()
            if self._has(sha256):
                return sha256
            source.seek(0)
            self._send(
                Request(
                    f"{self._api}/sources/{sha256}",
                    data=source,
                    method="PUT",
                    headers={"Content-Type": "application/octet-stream", "Content-Length": str(path.stat().st_size)},
                )
            )
        return sha256

    def _has(self, sha256: str) -> bool:
        """Bytes that the service has are not sent: it answers before it reads them, and closes the connection."""
        try:
            self._ask("GET", f"/sources/{sha256}")
        except ClientError as refused:
            if refused.status == HTTPStatus.NOT_FOUND:
                return False
            raise
        return True

    def _ask(self, method: str, path: str, body: Json = None) -> Json:
        data = None if body is None else json.dumps(body).encode()
        return self._send(
            Request(f"{self._api}{path}", data=data, method=method, headers={"Content-Type": "application/json"})
        )

    def _send(self, request: Request) -> Json:
        if self._token is not None:
            # Another host, to which an answer may lead, does not get it.
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            with self._opener.open(request, timeout=self._timeout_s) as answer:
                return _json_of(answer)
        except HTTPError as refused:
            kind = NoAnswerError if refused.code in _NOT_TO_BE_HAD else ClientError
            with refused:
                raise kind(_problem_detail(refused), refused.code) from None
        except (URLError, ConnectionError, TimeoutError) as lost:
            reason = getattr(lost, "reason", lost)
            # Without its number, which says nothing to a person.
            why = reason.strerror if isinstance(reason, OSError) and reason.strerror else reason
            raise NoAnswerError(f"no answer from {self._api}: {why}") from lost


def diagnosis_in(document: Json) -> Diagnosis:
    """The diagnosis in a case document, as `iotriage diagnose --format json` prints it. ClientError where it is no case
    document."""
    found = _fields(document)
    headline, job = _fields(found.get("headline")), _fields(found.get("job"))
    return Diagnosis(
        Headline(
            _text_or_none(headline, "rule"),
            _text(headline, "sentence"),
            _text(headline, "severity"),
            _text_or_none(headline, "figure"),
        ),
        tuple(
            Finding(
                _text(f, "rule"),
                _text(f, "verdict"),
                _text(f, "severity"),
                _text_or_none(f, "explained_by"),
                _number(f, "takes_s"),
                _number(f, "could_save_s"),
                _number(f, "could_save_at_least_s"),
            )
            for f in _each(found, "findings")
        ),
        {
            id: Metric(_value(_fields(metric)), _text(_fields(metric), "unit"))
            for id, metric in _fields(found.get("metrics")).items()
        },
        Job(
            _text_or_none(job, "job_id"),
            _integer(job, "uid"),
            _text_or_none(job, "executable"),
            _text_or_none(job, "command_line"),
            _integer(job, "nprocs"),
            _integer(job, "nnodes"),
            _number(job, "start_time"),
            _number(job, "end_time"),
            _number(job, "runtime_s"),
        ),
        tuple(Source(_text(s, "name"), _text_or_none(s, "kind"), _text(s, "status")) for s in _each(found, "sources")),
    )


def _is_address(url: str) -> bool:
    """Whether the text is a URL that a request can be sent to. Blanks and non-ASCII letters in a URL are
    percent-encoded."""
    try:
        parts = urlsplit(url)
        return _ADDRESS.fullmatch(url) is not None and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_loopback(url: str) -> bool:
    """Whether the address is of this machine, by its name."""
    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def _printable(name: str) -> str:
    """The name with a replacement character for each byte that is not UTF-8."""
    return name.encode(errors="surrogateescape").decode(errors="replace")


def _why_unread(answer: dict[str, Json]) -> str:
    """The name of each source that was not read, and why, where the service says that."""
    sources = _each({"sources": [], **answer}, "sources")
    said = [f"{_text(one, 'name')}: {_text_or_none(one, 'message')}" for one in sources if one.get("message")]
    return "; ".join(said) or "none of its sources"


def _case(answer: dict[str, Json]) -> Case:
    # A server of before has none.
    joined = {_text(part, "id"): _text(part, "because") for part in _each({"joined": [], **answer}, "joined")}
    id, status, title = _text(answer, "id"), _text(answer, "status"), _text(answer, "title")
    return Case(id, status, title, _text_or_none(answer, "message"), joined)


def _json_of(answer: BinaryIO) -> Json:
    try:
        found: Json = json.load(answer)
    except ValueError as no_json:
        raise ClientError(f"the answer is no JSON: {no_json}") from None
    return found


def _problem_detail(refused: HTTPError) -> str:
    """The message of an application/problem+json, else HTTP's own reason."""
    try:
        problem = _fields(json.load(refused))
        return str(problem.get("detail") or problem.get("title") or refused.reason)
    except (ValueError, ClientError):
        return str(refused.reason)


def _fields(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise ClientError(f"the contract has an object here, the answer {value!r:.80}")
    return value


def _each(fields: dict[str, Json], name: str) -> list[dict[str, Json]]:
    value = fields.get(name)
    if not isinstance(value, list):
        raise ClientError(f"{name} is not a list")
    return [_fields(entry) for entry in value]


def _text(fields: dict[str, Json], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise ClientError(f"{name} is not a text")
    return value


def _text_or_none(fields: dict[str, Json], name: str) -> str | None:
    return None if fields.get(name) is None else _text(fields, name)


def _number(fields: dict[str, Json], name: str) -> float | None:
    value = fields.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise ClientError(f"{name} is not a number")
    return value


def _integer(fields: dict[str, Json], name: str) -> int | None:
    value = _number(fields, name)
    if isinstance(value, float):
        raise ClientError(f"{name} is no whole number")
    return value


def _value(metric: dict[str, Json]) -> float | str | None:
    return _text(metric, "value") if isinstance(metric.get("value"), str) else _number(metric, "value")
