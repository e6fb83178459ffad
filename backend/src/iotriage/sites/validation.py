"""Whether a site's TOML file is a profile: its keys and values by pydantic, then what they say about one another. What
is wrong is said with the file, the line, the key and the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import tomlkit
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from tomlkit.container import Container
from tomlkit.items import AoT, Array, InlineTable, Item, Table

from iotriage.metrics.core.pattern import Pattern
from iotriage.sites.bad_site import BadSiteError, Place
from iotriage.sites.site import (
    PROJECT_DIRECTORIES,
    BandwidthUnit,
    DataSieving,
    DefaultLayout,
    DirectoryUse,
    FileOperation,
    FileSystemKind,
    ManualStriping,
    SiteMpiLibrary,
    Statistic,
)
from iotriage_parsers.evidence.job_context import Launcher, Scheduler
from iotriage_parsers.evidence.mpiio_stats import Direction

T = TypeVar("T")

_TEXT, _ID, _DATE = r"\S", r"^[a-z0-9]+(-[a-z0-9]+)*$", r"^\d{4}-\d{2}-\d{2}$"
_LIBRARY = r"^/[\w./+-]+\.so[\d.]*$"
_OPTION = r"^--?[A-Za-z][\w-]*$"
_TICKET_URL = r"^https?://\S*\{reference\}\S*$"
_SHAPES = {
    _TEXT: "must be a text that is not empty",
    _ID: "must be lower-case words with hyphens",
    _TICKET_URL: "must be an address, https://…, with {reference} in it",
    _LIBRARY: "must be the path of a shared library",
    _OPTION: "must be an option of the launcher, such as --ppn",
    _DATE: "must be a date, YYYY-MM-DD, in quotes",
}
_REASONS = {
    "missing": "is missing",
    "extra_forbidden": "is not a key of this table",
    "string_type": _SHAPES[_TEXT],
    "string_too_short": _SHAPES[_TEXT],
    "int_type": "must be a whole number",
    "greater_than_equal": "must be a whole number of at least {ge}",
    "greater_than": "must be above zero",
    "float_type": "must be a number",
    "finite_number": "must be a number",
    "literal_error": "must be one of {expected}",
    "tuple_type": "must be a list",
    "too_short": "must be a list of at least {min_length}",
    "model_type": "must be a table",
    "value_error": "{error}",
}
"""By pydantic's type of an error; where there is none, pydantic's own words are used."""


def _expression(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"{value!r} is not a regular expression: {error}") from error
    return value


def _path(value: str) -> str:
    if not value.startswith("^/") or value == "^/":
        raise ValueError(f"{value!r} must begin with ^/ and name a directory")
    return value


def _directory(value: str) -> str:
    if not (value.startswith("/") and value.endswith("/") and value != "/"):
        raise ValueError(f"{value!r} must be a directory, and begin and end with /")
    return value


def _anchored(value: str) -> str:
    if not (value.startswith("^") and value.endswith("$")):
        raise ValueError(f"{value!r} must begin with ^ and end with $")
    return value


def _stripes(value: int) -> int:
    if value == 0:
        raise ValueError("must be −1 for all OSTs, or at least 1")
    return value


_Text = Annotated[str, Field(pattern=_TEXT)]
_Id = Annotated[str, Field(pattern=_ID)]
_Date = Annotated[str, Field(pattern=_DATE)]
_Entry = Annotated[str, Field(min_length=1)]
_Expression = Annotated[_Entry, AfterValidator(_expression)]
_Path = Annotated[_Expression, AfterValidator(_path)]
_Directory = Annotated[_Entry, AfterValidator(_directory)]
_WholeName = Annotated[_Expression, AfterValidator(_anchored)]
_StripeCount = Annotated[int, Field(ge=-1), AfterValidator(_stripes)]
_StripeSize = Annotated[int, Field(ge=65536)]
_AtLeastOne = Annotated[int, Field(ge=1)]
_Rate = Annotated[float, Field(gt=0, allow_inf_nan=False)]
# TOML has lists, and a frozen model has tuples.
_Listed = Annotated[tuple[T, ...], Field(strict=False)]
_ListedOnce = Annotated[tuple[T, ...], Field(strict=False, min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Source(_Strict):
    document: _Text
    section: _Text
    says: _Text
    retrieved: _Date | None = None
    also: list[_Text] = []


class _FileSystem(_Strict):
    id: _Id
    title: _Text
    kind: FileSystemKind
    mounts: _ListedOnce[_Path]
    osts: _AtLeastOne | None = None
    default_stripe_count: _AtLeastOne | None = None
    default_stripe_size_bytes: _StripeSize | None = None
    default_layout: DefaultLayout | None = None
    most_stripes: _AtLeastOne | None = None
    ost_bandwidth: _Rate | None = None
    fully_striped_bandwidth: _Rate | None = None
    peak_write_bandwidth: _Rate | None = None
    peak_read_bandwidth: _Rate | None = None
    block_size_bytes: Annotated[int, Field(ge=512)] | None = None
    file_creates_per_s: _AtLeastOne | None = None
    data_sieving: DataSieving | None = None
    manual_striping: ManualStriping = "yes"
    note: _Text | None = None
    directory: _Text | None = None
    request: _Text | None = None
    source: _Source | None = None

    def has_figures(self) -> bool:
        return bool(
            self.model_fields_set - {"id", "title", "kind", "mounts", "data_sieving", "manual_striping", "note"}
        )


class _Row(_Strict):
    processes: _AtLeastOne
    maximum: _Rate | None = None
    typical: _Rate | None = None
    lower_quartile: _Rate | None = None
    median: _Rate | None = None
    upper_quartile: _Rate | None = None
    minimum: _Rate | None = None


class _Rates(_Strict):
    id: _Id
    title: _Text
    file_systems: _ListedOnce[_Entry]
    pattern: Pattern
    direction: Direction
    statistic: Statistic
    unit: BandwidthUnit
    measured: _Text
    rows: _ListedOnce[_Row]
    source: _Source
    stripe_count: _StripeCount | None = None
    stripe_size_bytes: _StripeSize | None = None
    transfer_size_bytes: _AtLeastOne | None = None
    bytes_per_process: _AtLeastOne | None = None
    settings: _Text | None = None
    iobuf: bool = False


class _OperationRates(_Strict):
    id: _Id
    title: _Text
    file_systems: _ListedOnce[_Entry]
    operation: FileOperation
    directory: DirectoryUse
    statistic: Statistic
    measured: _Text
    rows: _ListedOnce[_Row]
    source: _Source
    file_size_bytes: Annotated[int, Field(ge=0)] | None = None
    settings: _Text | None = None


class _StripeRule(_Strict):
    file_systems: _ListedOnce[_Entry]
    stripe_count: _StripeCount
    source: _Source
    from_bytes: Annotated[int, Field(ge=0)] = 0
    to_bytes: _AtLeastOne | None = None
    stripe_size_bytes: _StripeSize | None = None
    pool: _Text | None = None


class _NodeCores(_Strict):
    cores: _AtLeastOne
    source: _Source


class _Threshold(_Strict):
    threshold: _Text
    value: Annotated[float, Field(allow_inf_nan=False)]
    source: _Source
    why: _Text


class _Environment(_Strict):
    pattern: Pattern
    text: _Text
    lines: _ListedOnce[_Entry]
    source: _Source
    kinds: _Listed[FileSystemKind] = ()
    direction: Direction | None = None
    several_nodes: bool = False


class _StripesOfFewRanks(_Strict):
    below_ranks: _AtLeastOne
    stripe_count: _StripeCount
    why: _Text
    source: _Source


class _Document(_Strict):
    key: _Id
    title: _Text
    publisher: _Text
    systems: _Text
    url: _Text | None = None


class _Profile(_Strict):
    id: _Id
    title: _Text
    status: Literal["current", "retired", "generic"]
    checked: _Date
    version: _Text
    detect_paths: _Listed[_Path] = ()
    detect_shared_paths: _Listed[_Path] = ()
    detect_common_paths: _Listed[_Path] = ()
    detect_hosts: _Listed[_WholeName] = ()
    detect_libraries: _Listed[_Expression] = ()
    detect_servers: _Listed[_WholeName] = ()
    detect_accounts: _Listed[_WholeName] = ()
    url: _Text | None = None
    ticket_url: Annotated[str, Field(pattern=_TICKET_URL)] | None = None
    shared_file_stripe_count: _StripeCount | None = None
    stripes_of_few_ranks: _StripesOfFewRanks | None = None
    kind: FileSystemKind | None = None
    launcher: Launcher | None = None
    ranks_per_node_option: Annotated[str, Field(pattern=_OPTION)] | None = None
    running_jobs: _Source | None = None
    scheduler: Scheduler | None = None
    darshan_module: _Text | None = None
    darshan_library: Annotated[str, Field(pattern=_LIBRARY)] | None = None
    mpi_library: SiteMpiLibrary | None = None
    perftools: bool = True
    node_cores: _NodeCores | None = None
    not_for_jobs: _Listed[_Directory] = ()
    project_directories: _Listed[_Path] = PROJECT_DIRECTORIES
    notes: _Listed[_Entry] = ()
    file_systems: _Listed[_FileSystem] = ()
    rates: _Listed[_Rates] = ()
    operation_rates: _Listed[_OperationRates] = ()
    stripe_rules: _Listed[_StripeRule] = ()
    thresholds: _Listed[_Threshold] = ()
    environment: _Listed[_Environment] = ()
    documents: _Listed[_Document] = ()


def validate(file: Path, text: str, content: object) -> None:
    """BadSiteError for the first thing that is wrong with `content`, which the TOML `text` of `file` holds."""
    try:
        profile = _Profile.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        words = {name: str(value) for name, value in first.get("ctx", {}).items()}
        words["expected"] = words.get("expected", "").replace("'", "").replace(" or ", ", ")
        at, kind = first["loc"], first["type"]
        in_list = len(at) > 1 and isinstance(at[-1], int) and kind != "model_type"
        reason = _SHAPES[words["pattern"]] if "pattern" in words else _REASONS.get(kind, first["msg"]).format(**words)
        if in_list and kind in ("string_type", "string_too_short"):
            reason = "must be a list of texts"
        raise refused(file, text, at[:-1] if in_list else at, reason) from error
    for at, reason in _contradictions(profile):
        raise refused(file, text, at, reason)


def refused(file: Path, text: str, at: Place, reason: str) -> BadSiteError:
    """The error for the key `at`, or for the table that lacks it."""
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in at).removeprefix(".")
    return BadSiteError(f"{file}:{line_of(numbered(text), at)}: {path}: {reason}")


def _contradictions(profile: _Profile) -> Iterator[tuple[Place, str]]:
    """What is wrong between values that are good one by one."""
    named: tuple[tuple[str, list[str]], ...] = (
        ("file_systems", [f.id for f in profile.file_systems]),
        ("rates", [r.id for r in profile.rates]),
        ("operation_rates", [r.id for r in profile.operation_rates]),
        ("thresholds", [t.threshold for t in profile.thresholds]),
        ("documents", [d.key for d in profile.documents]),
    )
    for key, names in named:
        yield from (((key,), f"{name!r} stands twice") for name in names if names.count(name) > 1)
    for i, system in enumerate(profile.file_systems):
        if system.source is None and system.has_figures():
            yield ("file_systems", i, "source"), "is missing, and there are figures"
    known = {f.id for f in profile.file_systems}
    about: tuple[tuple[str, Sequence[_Rates | _OperationRates | _StripeRule]], ...] = (
        ("rates", profile.rates),
        ("operation_rates", profile.operation_rates),
        ("stripe_rules", profile.stripe_rules),
    )
    for key, tables in about:
        for i, table in enumerate(tables):
            strange = [name for name in table.file_systems if name not in known]
            yield from (((key, i, "file_systems"), f"{n!r} is no file system of this profile") for n in strange)
    for i, rule in enumerate(profile.stripe_rules):
        if rule.to_bytes is not None and rule.to_bytes <= rule.from_bytes:
            yield ("stripe_rules", i, "to_bytes"), "must be above from_bytes"
    for i, rates in enumerate(profile.rates):
        yield from ((("rates", i, *at), reason) for at, reason in _of_rows(rates))
    for i, operations in enumerate(profile.operation_rates):
        yield from ((("operation_rates", i, *at), reason) for at, reason in _of_rows(operations))


def _of_rows(rates: _Rates | _OperationRates) -> Iterator[tuple[Place, str]]:
    for j, row in enumerate(rates.rows):
        yield from ((("rows", j, key), reason) for key, reason in _of_row(row, rates.statistic))
    counts = [row.processes for row in rates.rows]
    if counts != sorted(set(counts)):
        yield ("rows",), "must stand by rising number of processes, each once"


def _of_row(row: _Row, statistic: Statistic) -> Iterator[tuple[str, str]]:
    """The rates of a row are those of its table's statistic."""
    several = {
        "quartiles": ("lower_quartile", "median", "upper_quartile", "maximum"),
        "range": ("minimum", "maximum"),
    }
    wanted = several.get(statistic, (statistic,))
    rates = {
        "lower_quartile": row.lower_quartile,
        "median": row.median,
        "upper_quartile": row.upper_quartile,
        "maximum": row.maximum,
        "typical": row.typical,
        "minimum": row.minimum,
    }
    yield from ((key, "is missing") for key in wanted if rates[key] is None)
    yield from (
        (key, f"is no key where the statistic is {statistic}") for key in row.model_fields_set - {*wanted, "processes"}
    )
    rising = [rate for key in wanted if (rate := rates[key]) is not None]
    if rising != sorted(rising):
        yield "median" if statistic == "quartiles" else wanted[0], f"{statistic} must rise: {', '.join(wanted)}"


_MARK = "\N{OBJECT REPLACEMENT CHARACTER}"
_DIGITS = 24


def numbered(text: str) -> tomlkit.TOMLDocument:
    """The TOML `text` as a document in which every line is indented by its own number, in binary digits of blanks and
    tabs: tomlkit has no line numbers, and puts lists of tables together that do not stand together."""
    lines = (f"{i:0{_DIGITS}b}".translate({48: " ", 49: "\t"}) + line for i, line in enumerate(text.split("\n"), 1))
    return tomlkit.parse("\n".join(lines))


def line_of(document: tomlkit.TOMLDocument, at: Place) -> int:
    """The line on which the key or table `at` of a numbered document begins, or the nearest table above it that is
    there: where a key that is missing would have to stand."""
    found: Item | Container = document
    marked: Item | None = None
    for part in at:
        inner = _inner(found, part)
        if inner is None:
            break
        first = _first_rendered(inner, in_array=isinstance(found, Array))
        # Not by truth: an empty list is an item too.
        marked, found = (marked if first is None else first), inner
    if marked is None:
        return 1
    before = marked.trivia.indent
    marked.trivia.indent = _MARK + before
    line = next(line for line in tomlkit.dumps(document).split("\n") if _MARK in line)
    marked.trivia.indent = before
    return int(line.replace(_MARK, "")[:_DIGITS].translate({32: "0", 9: "1"}), 2)


def _inner(found: Item | Container, part: str | int) -> Item | None:
    if isinstance(found, Table | InlineTable):
        found = found.value
    if isinstance(found, Container):
        inner = found.item(str(part)) if part in found else None
        return inner if isinstance(inner, Item) else None
    if isinstance(part, int) and isinstance(found, AoT | Array) and part < len(found):
        inner = found[part]
        return inner if isinstance(inner, Table | InlineTable) else None
    return None


def _first_rendered(found: Item, *, in_array: bool = False) -> Item | None:
    """What stands first in the text of `found` and renders its own indent: lists of tables, tables that only their
    children have headers of, and tables in an array render none."""
    if isinstance(found, AoT):
        return _first_rendered(found[0])
    if isinstance(found, Table | InlineTable) and (in_array or (isinstance(found, Table) and found.is_super_table())):
        return next((_first_rendered(item) for key, item in found.value.body if key is not None), None)
    return found
