"""What was chosen for one run: hints, environment, striping, processes, libraries, arguments, and how the program does
its I/O. Taken from the case document alone; what no source states is not there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from iotriage.analysis.document import CaseDocument, FileRow, KnownMetric
from iotriage.analysis.rates import known_number, known_word
from iotriage.analysis.run_sets.command_line import arguments_of, script_of, words_of
from iotriage.analysis.run_sets.setting import Origin, Setting, SettingKind
from iotriage.metrics.core.listing import first_listed, listed
from iotriage.metrics.core.metric import Confidence
from iotriage.metrics.core.selection import base_name
from iotriage.metrics.environment.settings import NOT_SET
from iotriage.metrics.tables.files.names import stands_for_name
from iotriage.metrics.tables.grouping import DIGITS, numbers_folded
from iotriage.metrics.tables.layouts import ALL_OSTS
from iotriage.metrics.tables.settings import HINT_VARIABLE, patterns_of
from iotriage.rules.core.words import number, printable, quantity, share, size, stripes_phrase
from iotriage.sites import FILE_SYSTEM_NAMES
from iotriage_parsers.evidence import BenchmarkRates, BenchmarkRun, JobContext, MpichEnvironment, MpiioHints

INSTRUMENTATION = re.compile(r"MPICH_(MPIIO_(STATS|TIMERS)\w*|\w*DISPLAY\w*)|(DARSHAN|DXT|PAT)_\w+|ROMIO_PRINT_HINTS")
_HINT = re.compile(
    r"(romio|cray|ind|pvfs2?|direct|pnetcdf|nc)_\w+"
    r"|cb_(nodes|buffer_size|config_list|align)|striping_(factor|unit)|access_style"
)
"""Names that MPI-IO hints have; `start_iodevice` and `bench` are not among them on purpose: programs use such words."""


def settings_of(document: CaseDocument) -> dict[tuple[SettingKind, str], Setting]:
    """The settings of the run by kind and name; the surest source of each first."""
    found: dict[tuple[SettingKind, str], Setting] = {}
    for setting in (
        *_processes(document),
        *_program(document),
        *_displayed_hints(document),
        *_environment(document),
        *_striping(document),
        *_placement(document),
        *_libraries(document),
        *_calls(document),
        *_work(document),
        *_arguments(document.job.command_line),
    ):
        found.setdefault(setting.key, setting)
    return found


def benchmark_settings(run: BenchmarkRun) -> dict[tuple[SettingKind, str], Setting]:
    """The settings of one run of IOR or benchio."""
    settings: list[Setting] = [Setting("program", "program", run.tool)]
    if run.version is not None:
        settings.append(Setting("library", f"version of {run.tool}", printable(run.version)))
    if run.nprocs is not None:
        settings.append(Setting("processes", "ranks", number(run.nprocs)))
    if run.nodes is not None:
        settings.append(Setting("processes", "nodes", number(run.nodes)))
    if run.api is not None:
        settings.append(Setting(*INTERFACE, run.api))
    if run.access is not None:
        settings.append(Setting("calls", "pattern", run.access))
    if run.collective is not None:
        settings.append(Setting("calls", "collective calls", "all" if run.collective else "none"))
    if run.transfer_size_bytes is not None:
        settings.append(Setting("calls", "transfer size", size(run.transfer_size_bytes)))
    if run.stripe_count is not None:
        settings.append(Setting(*STRIPE_COUNT, stripes_phrase(run.stripe_count)))
    if run.stripe_size_bytes is not None:
        settings.append(Setting(*STRIPE_SIZE, size(run.stripe_size_bytes)))
    settings += [Setting("hint", h.name, printable(h.value)) for h in run.hints if h.given == "passed"]
    if run.tool == "IOR":
        settings += _options_of_ior(run.command_line)
    return {s.key: s for s in reversed(settings)}


def _options_of_ior(command_line: str | None) -> Iterator[Setting]:
    """The options by what they do, without those that the head of the output tells of, or that say where and how often
    it writes."""
    for setting in _arguments(command_line):
        if setting.name not in TOLD_BY_IOR and not setting.name.startswith(("argument ", *OF_ITS_REPORT)):
            yield replace(setting, name=OPTIONS_OF_IOR.get(setting.name, setting.name))


TOLD_BY_IOR = frozenset("abcFGikmnNoOQrstvw") | {"vv", "vvv", "vvvv"}
OF_ITS_REPORT = ("lustre", "stoneWalling", "saveRank", "summary", "dataPacketType")
"""What directives begin with that the head tells of, or that change nothing of the I/O."""
OPTIONS_OF_IOR: Mapping[str, str] = {
    "B": "direct I/O",
    "C": "reading what another node wrote",
    "D": "seconds after which a phase stops",
    "e": "fsync behind the writing",
    "E": "existing file",
    "g": "barriers between open, write and close",
    "Y": "fsync after every write",
    "z": "random offsets",
    "Z": "reading what other ranks wrote, at random",
}


def settings_of_rates(rates: BenchmarkRates) -> dict[tuple[SettingKind, str], Setting]:
    """The settings of one result of a benchmark with rates by phase."""
    settings: list[Setting] = [Setting("program", "program", rates.tool)]
    if rates.version is not None:
        settings.append(Setting("library", f"version of {rates.tool}", printable(rates.version)))
    if rates.nprocs is not None:
        settings.append(Setting("processes", "ranks", number(rates.nprocs)))
    if rates.nodes is not None:
        settings.append(Setting("processes", "nodes", number(rates.nodes)))
    return {s.key: s for s in (*settings, *_arguments(rates.command_line))}


def _processes(document: CaseDocument) -> Iterator[Setting]:
    for name, metric_id in (("ranks", "job.nprocs"), ("nodes", "job.nnodes")):
        metric = document.metrics.get(metric_id)
        if metric is not None and isinstance(metric.value, int | float):
            yield Setting("processes", name, number(metric.value), metric.confidence or "measured")


def _program(document: CaseDocument) -> Iterator[Setting]:
    line = words_of(document.job.command_line)
    benchmarks = (t.part.tool for t in document.texts if isinstance(t.part, BenchmarkRun))
    name = document.job.executable or (line[0] if line else None) or next(benchmarks, None)
    script = script_of(document.job.command_line)
    if not name or stands_for_name(name):
        return
    program = PurePosixPath(name.split(" ")[0]).name
    yield Setting("program", "program", printable(program if script is None else PurePosixPath(script).name))
    if script is not None:
        yield Setting("library", "interpreter", printable(PurePosixPath(line[0]).name))


def _displayed_hints(document: CaseDocument) -> Iterator[Setting]:
    """Each hint as the opens displayed it; several values where files were opened with different ones."""
    values: dict[str, dict[str, None]] = {}
    lists = [t.part for t in document.texts if isinstance(t.part, MpiioHints) and t.part.trusted]
    for part in sorted(lists, key=lambda p: p.printed_by != "cray-mpich"):
        for hint in part.hints:
            values.setdefault(hint.key, {})[hint.value] = None
    for key, seen in values.items():
        yield Setting("hint", printable(key), printable(", ".join(seen)))


def _environment(document: CaseDocument) -> Iterator[Setting]:
    shown = [s for t in document.texts if isinstance(t.part, MpichEnvironment) for s in t.part.settings]
    contexts = [t.part for t in document.texts if isinstance(t.part, JobContext)]
    scripted = [s for part in contexts for s in part.environment]
    for setting in shown:
        yield from _variable(setting.name, setting.value, None)
    for asked in scripted:
        yield from _variable(asked.name, asked.value, "script")
    for part in contexts:
        for module in part.modules:
            if module.action == "swap" and module.names:
                yield Setting(
                    "library", f"module {printable(module.names[0])}", printable(f"swapped for {module.names[-1]}")
                )
            elif module.action == "load":
                for name in module.names:
                    base, _, version = printable(name).partition("/")
                    yield Setting("library", f"module {base}", version or "loaded", "inferred")


def _variable(name: str, value: str | None, origin: Origin | None) -> Iterator[Setting]:
    sure: Confidence = "inferred" if origin else "measured"
    if name == HINT_VARIABLE:
        for hint in patterns_of(value or ""):
            if hint.pattern:
                yield Setting("hint", printable(hint.key), printable(hint.value), "inferred", origin=origin)
    kind: SettingKind = "instrumentation" if INSTRUMENTATION.fullmatch(name) else "environment"
    text = printable((value or "").strip("\"' “”")) or NOT_SET
    yield Setting(kind, printable(name), text, sure, origin=origin)


def scripts_are_whole(document: CaseDocument) -> bool:
    """Whether a whole job script is among the sources: what it does not set was left alone, as far as it can say."""
    scripts = [t.part for t in document.texts if isinstance(t.part, JobContext) and t.part.source == "script"]
    return any(s.complete for s in scripts)


def _striping(document: CaseDocument) -> Iterator[Setting]:
    count, each = document.metrics.get("file.stripe_count"), document.metrics.get("file.stripe_size")
    if count is not None and isinstance(count.value, int):
        yield Setting(*STRIPE_COUNT, stripes_phrase(count.value), count.confidence or "measured")
    if each is not None and isinstance(each.value, int | float):
        yield Setting(*STRIPE_SIZE, size(each.value), each.confidence or "measured")
    read = _read_beside_a_larger(document)
    if read is not None and read.stripe_count is not None:
        yield Setting("striping", STRIPES_OF_THE_READ, stripes_phrase(read.stripe_count))
    yield from _stripes_of_groups(document, () if read is None else (read.path,))
    for part in (t.part for t in document.texts if isinstance(t.part, JobContext)):
        for command in part.stripe_commands:
            asked = ALL_OSTS if command.over_all_osts else command.stripe_count
            if asked is not None:
                yield Setting(*STRIPE_COUNT, stripes_phrase(asked), "inferred")
            if command.stripe_size_bytes is not None:
                yield Setting(*STRIPE_SIZE, size(command.stripe_size_bytes), "inferred")


STRIPE_COUNT: tuple[SettingKind, str] = ("striping", "stripe count")
STRIPE_SIZE: tuple[SettingKind, str] = ("striping", "stripe size")
"""Of the largest file."""
STRIPES_OF_THE_READ = "stripe count of the file read most"
STRIPES_OF = "stripes of "
"""Before the name of a group of files."""


def _stripes_of_groups(document: CaseDocument, told: Collection[str]) -> Iterator[Setting]:
    """Of files that are used alike, by the largest of them; those of the job's largest file are the job's."""
    rows = {row.path: row for row in document.files}
    largest = document.metrics.get("file.largest")
    for group in document.groups:
        row = rows.get(group.largest_file)
        named = not stands_for_name(group.name) and (largest is None or group.largest_file != largest.value)
        if row is not None and row.stripe_count is not None and named and row.path not in told:
            yield Setting("striping", f"{STRIPES_OF}{printable(group.name)}", stripes_phrase(row.stripe_count))


def _read_beside_a_larger(document: CaseDocument) -> FileRow | None:
    """The file that most is read from, where another one is the largest, of which the stripes are reported."""
    read = max(document.files, key=lambda row: row.bytes_read or 0, default=None)
    written = max(document.files, key=lambda row: row.bytes_written or 0, default=None)
    largest = max(document.files, key=lambda row: row.size_bytes or 0, default=None)
    if read is None or written is None or not read.bytes_read or not written.bytes_written:
        return None
    of_size = largest is not None and largest.size_bytes
    return None if read is (largest if of_size else written) else read


def _placement(document: CaseDocument) -> Iterator[Setting]:
    """The file system that moves most bytes, where the site or the mount table tells which it is, and what is moved on
    home, a little aside."""
    most = next(iter(document.charts.file_systems), None)
    if most is not None and (most.kind != "unknown" or most.title is not None):
        yield Setting("placement", FILE_SYSTEM, printable(most.title or FILE_SYSTEM_NAMES[most.kind]), "inferred")

    mount = _lustre_mount(document)
    if mount is not None:
        yield Setting("placement", LUSTRE_MOUNT, printable(mount), "inferred")
    elif (most is None or most.title is None) and document.metrics["file.mount_type"].value is None:
        yield from _first_folder(document)
    on_home = known_number(document.metrics, "file.home_bytes")
    if on_home is not None:
        yield Setting("placement", BYTES_ON_HOME, size(on_home), "inferred", size=max(on_home, LITTLE_ON_HOME))


def _lustre_mount(document: CaseDocument) -> str | None:
    """Where the Lustre file system is mounted on whose OSTs most bytes are moved: a centre may have several."""
    moved = {
        use.mount: sum(ost.bytes_read + ost.bytes_written for ost in use.osts)
        for use in document.charts.osts
        if use.mount is not None
    }
    return max(moved, key=lambda mount: moved[mount], default=None)


def _first_folder(document: CaseDocument) -> Iterator[Setting]:
    """Of the largest file, where nothing tells what is mounted where."""
    largest = document.groups[0].largest_file if document.groups else ""
    parts = PurePosixPath(largest).parts
    if largest.startswith("/") and len(parts) > 2 and not stands_for_name(parts[1]):
        yield Setting("placement", FIRST_FOLDER, printable(f"/{parts[1]}"), "inferred")


FIRST_FOLDER = "first folder of the largest file"
FILE_SYSTEM, BYTES_ON_HOME = "file system", "bytes moved on home"
LUSTRE_MOUNT = "Lustre mount point"
LITTLE_ON_HOME = 2.0**20
"""Bytes up to which home has what any job looks up there."""


def _libraries(document: CaseDocument) -> Iterator[Setting]:
    version = known_word(document.metrics, "mpich.version")
    if version is not None:
        yield Setting("library", "MPI library", printable(version))


def _calls(document: CaseDocument) -> Iterator[Setting]:
    layers = {layer.layer for layer in document.charts.layers}
    above = [name for name in ("HDF5", "PnetCDF") if name in layers]
    layer = known_word(document.metrics, "io.layer")
    if layer is not None:
        yield Setting(*INTERFACE, _interface(above, layer, beside="MPI-IO" in layers))
    pattern = document.metrics.get("io.pattern")
    if pattern is not None and isinstance(pattern.value, str):
        yield Setting("calls", "pattern", pattern.value, pattern.confidence or "inferred")
    collective = known_number(document.metrics, "mpiio.collective_fraction")
    if collective is not None:
        yield Setting("calls", "collective calls", _share(collective))
    for name, metric_id in AVERAGES.items():
        each = known_number(document.metrics, metric_id)
        if each:
            yield Setting("calls", name, size(each), size=each)
    yield from _shares(document)
    ranks = _ranks_of_the_largest(document)
    if ranks is not None:
        yield Setting("calls", RANKS_OF_THE_LARGEST, ranks, "inferred")
    aggregators = _aggregators(document)
    if aggregators:
        yield Setting("calls", "aggregators at work", number(aggregators), size=aggregators)
    busiest = known_number(document.metrics, "balance.bytes")
    if busiest:
        # Where one rank moves all, it grows with the ranks.
        name, words = "bytes of the busiest rank over the mean", quantity(busiest, "ratio")
        yield _counted(document, name, busiest, words, "job.nprocs", least=False)
    for name, known in COUNTED_CALLS.items():
        calls = next((v for i in known if (v := known_number(document.metrics, i)) is not None), None)
        if calls is not None and (calls == 0 or calls >= FEW_CALLS):
            least = any(_is_least(document, i) for i in known)
            yield _counted(document, name, calls, number(calls), GROW_WITH[name], least=least)
    files = known_number(document.metrics, "file.count")
    if files:
        least = _is_least(document, "file.count")
        yield _counted(document, "files", files, number(files), "job.nprocs", least=least)
    span = known_number(document.metrics, "file.written_span")
    if span:
        least = _is_least(document, "file.written_span")
        yield _counted(document, "span of the bytes written", span, size(span), "io.bytes_written", least=least)


RANKS_OF_THE_LARGEST = "ranks that use the largest file"


def _ranks_of_the_largest(document: CaseDocument) -> str | None:
    """Where no source tells the layer, and so the pattern, as a CrayPAT report does not."""
    row = max(document.files, key=lambda row: (row.bytes_written or 0) + (row.bytes_read or 0), default=None)
    processes, layer = known_number(document.metrics, "job.nprocs"), known_word(document.metrics, "io.layer")
    if row is None or row.ranks is None or processes is None or layer is not None:
        return None
    return "all" if row.ranks == processes else number(row.ranks)


def _counted(document: CaseDocument, name: str, figure: float, words: str, grows_with: str, *, least: bool) -> Setting:
    by = known_number(document.metrics, grows_with)
    value = f"at least {words}" if least else words
    return Setting("calls", name, value, size=figure, each=figure / by if by else None, least=least)


def _aggregators(document: CaseDocument) -> float | None:
    """The ranks that wrote for the others: as MPI-IO counts them, else as many as would share the bytes evenly."""
    counted = known_number(document.metrics, "mpiio.aggregators")
    if counted is not None or known_word(document.metrics, "io.pattern") != "shared-collective":
        return counted
    return known_number(document.metrics, "mpiio.effective_aggregators")


def _shares(document: CaseDocument) -> Iterator[Setting]:
    for name, (metric_id, of) in SHARES.items():
        part, calls = (
            known_number(document.metrics, metric_id),
            sum(known_number(document.metrics, i) or 0.0 for i in of),
        )
        if part is not None and calls >= FEW_CALLS:
            yield Setting("calls", name, share(part), share=part)


AVERAGES: Mapping[str, str] = {
    f"average {layer} {way}": f"{prefix}.average_{way}_size"
    for way in ("write", "read")
    for layer, prefix in (("MPI-IO", "mpiio"), ("POSIX", "posix"))
} | {
    "average call on a stream": "stdio.average_size",
    "average write by CrayPAT": "profiled.average_write_size",
    "average read by CrayPAT": "profiled.average_read_size",
}
"""Sizes of calls by the layer that they are of: the write of one run is held against no write of another layer."""

SHARES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "accesses off the boundaries of blocks": ("posix.misaligned_fraction", ("posix.writes", "posix.reads")),
    "writes that go on where the last one ended": ("posix.consecutive_write_fraction", ("posix.writes",)),
    "reads that go on where the last one ended": ("posix.consecutive_read_fraction", ("posix.reads",)),
}
"""How the bytes lie in the file, and of which calls it is a share: calls of one size and number may be aligned or not,
and in order or not."""

INTERFACE: tuple[SettingKind, str] = ("calls", "interface")
_OF_THE_PROGRAM = frozenset(
    {"average MPI-IO write", "average MPI-IO read", "average call on a stream", "files", "syncs"}
)
_OF_POSIX = frozenset({"average POSIX write", "average POSIX read", "system writes", "system reads"})


def is_by_program(name: str, interfaces: Collection[str | None]) -> bool:
    """Whether it is the program that asks for accesses like these, where that is what changed of them, and not only the
    library below it, which follows stripes and hints. `interfaces` are those of the runs."""
    return name in _OF_THE_PROGRAM or (name in _OF_POSIX and set(interfaces) == {"POSIX"})


COUNTED_CALLS: Mapping[str, tuple[str, ...]] = {
    "system writes": ("posix.writes", "mpiio.system_writes"),
    "system reads": ("posix.reads",),
    "syncs": ("sync.calls",),
    "flushes of streams": ("stdio.flushes",),
    "opens": ("posix.opens",),
    "stats": ("posix.stats",),
}
"""Counts that tell runs apart whose calls above look the same, each by the first metric that is known."""
GROW_WITH: Mapping[str, str] = {"system writes": "io.bytes_written", "system reads": "io.bytes_read"} | dict.fromkeys(
    ("syncs", "flushes of streams", "opens", "stats"), "job.nprocs"
)
"""What each of these grows with by itself: they tell runs apart where one needs more of them for as many bytes or
ranks."""

FEW_CALLS = 100
"""Fewer calls differ by a header or a look at a directory."""


def _interface(libraries: Sequence[str], most: str, *, beside: bool) -> str:
    """A library stands over the layer that carries most bytes, unless that layer carries them without it: where MPI-IO
    was called too, `beside` it, nothing says that the library's files are those."""
    if libraries and beside and most != "MPI-IO":
        return f"mostly {most} ({listed([*libraries, 'MPI-IO'])} too)"
    return " over ".join((*libraries, most))


def _share(fraction: float) -> str:
    return "none" if fraction == 0 else "all" if fraction == 1 else "some"


def _work(document: CaseDocument) -> Iterator[Setting]:
    for name, metric_id in (("bytes written", "io.bytes_written"), ("bytes read", "io.bytes_read")):
        moved = known_number(document.metrics, metric_id)
        if moved is not None:
            least = _is_least(document, metric_id)
            yield Setting("work", name, f"{'at least ' if least else ''}{size(moved)}", size=moved, least=least)
    written = (base_name(row.path) for row in document.files if row.bytes_written)
    names = {numbers_folded(name) for name in written if not stands_for_name(name)}
    if names:
        yield Setting("work", FILE_NAMES, printable(first_listed(sorted(names), MOST_NAMES)))


FILE_NAMES = "names of the files written"
MOST_NAMES = 20
"""That are told, of those that differ in more than numbers."""


def _is_least(document: CaseDocument, metric_id: str) -> bool:
    metric = document.metrics.get(metric_id)
    return isinstance(metric, KnownMetric) and metric.bound == "lower"


def _arguments(command_line: str | None) -> Iterator[Setting]:
    """`key=value` words by their key, hints among them as hints; other words by their place."""
    for key, value in arguments_of(command_line).items():
        hint = key.rpartition(":")[2]
        if _HINT.fullmatch(hint):
            yield Setting("hint", hint, value, "inferred", origin="command line")
        else:
            yield Setting("argument", key, value, origin="command line")


def program_of(settings: Mapping[tuple[SettingKind, str], Setting]) -> str | None:
    """What the program is called, its version and its ending aside; None where no source names it."""
    found = settings.get(("program", "program"))
    return None if found is None else DIGITS.sub("", found.value.partition(".")[0]).strip("-_. ").lower()
