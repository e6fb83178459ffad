"""The runs that cases given for a comparison hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase

from iotriage.analysis.decision.basis import basis_of
from iotriage.analysis.decision.condition import answer
from iotriage.analysis.decision.headline_figure import AT_MOST, bound_in_document
from iotriage.analysis.document import CaseDocument, FileRow
from iotriage.analysis.rates import known_word
from iotriage.analysis.run_sets.command_line import words_of
from iotriage.analysis.run_sets.listed_stripes import count_of, listed_component
from iotriage.analysis.run_sets.phase_rates import cells_of, phases_of, spreads_of
from iotriage.analysis.run_sets.run import OF_JOB, OF_TIMERS, Run, TitledCase, lower_bound_of, number_of
from iotriage.analysis.run_sets.run_settings import (
    STRIPE_COUNT,
    STRIPE_SIZE,
    benchmark_settings,
    scripts_are_whole,
    settings_of,
    settings_of_rates,
)
from iotriage.analysis.run_sets.setting import Origin, Setting, SettingKind
from iotriage.analysis.run_sets.stripes_by_name import by_same_files, stripes_like_largest
from iotriage.metrics.environment.settings import NOT_SET
from iotriage.metrics.tables.files.names import stands_for_name
from iotriage.rules.core.words import plural, printable, size, stripes_phrase
from iotriage.sites.benchmark_use import rated_pattern, stated_stripes
from iotriage_parsers.evidence import BenchmarkIteration, BenchmarkRates, BenchmarkResult, BenchmarkRun, StripeComponent


def runs_of(cases: Sequence[TitledCase], labels: Sequence[str] = ()) -> tuple[Run, ...]:
    """The runs of these cases, labelled in their order by the `labels`, where there are as many, else A, B, C … A case
    that is nothing but the output of a benchmark gives its runs: of one case given alone, the repetitions too where
    there is one run. Where each is a benchmark's table of layers and directories, it is one run, held against the
    others cell by cell."""
    alone = len(cases) == 1
    tables = not alone and all(_is_a_table(document) for _, document in cases)
    found = [
        run
        for i, (title, document) in enumerate(cases)
        for run in (_runs_of_table(i, title, document) if tables else _runs_of_case(i, title, document, alone=alone))
    ]
    called = labels if len(labels) == len(found) else [label_of(i) for i in range(len(found))]
    labelled = by_same_files([replace(run, label=label) for label, run in zip(called, found, strict=True)])
    following = stripes_like_largest(labelled)
    told = [replace(r, settings={k: s for k, s in r.settings.items() if k not in following}) for r in labelled]
    return tuple(replace(run, settings=_with_what_is_left_alone(run, told)) for run in told)


def _with_what_is_left_alone(run: Run, runs: Sequence[Run]) -> dict[tuple[SettingKind, str], Setting]:
    """The settings of the run, and as "not set" those that the others have of a kind of source that it has whole: a
    command line, or a job script."""
    settings = dict(run.settings)
    for other in (other for other in runs if other.of_job == run.of_job):
        for key, setting in other.settings.items():
            if key not in settings and setting.origin is not None and setting.origin in _whole_origins(run):
                settings[key] = replace(setting, value=NOT_SET, confidence="inferred", size=None)
    return settings


def _whole_origins(run: Run) -> frozenset[Origin]:
    found: list[Origin] = ["script"] if scripts_are_whole(run.document) else []
    line = words_of(run.command_line)
    return frozenset([*found, "command line"] if line and not stands_for_name(line[0]) else found)


def label_of(index: int) -> str:
    """The label of the run at this place: A to Z, then A2, B2 …"""
    turn, letter = divmod(index, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(turn + 1) if turn else "")


def _runs_of_case(index: int, title: str, document: CaseDocument, *, alone: bool) -> list[Run]:
    of_sources = [(t.source, t.part) for t in document.texts if isinstance(t.part, BenchmarkRun)]
    one_source = len({source for source, _ in of_sources}) == 1
    benchmarks = [(title if one_source else document.sources[source].name, part) for source, part in of_sources]
    if benchmarks and document.metrics["io.bandwidth"].value is None:
        found = list(_runs_of_benchmark(index, document, benchmarks, alone=alone))
        if found:
            return found
    rates = [t.part for t in document.texts if isinstance(t.part, BenchmarkRates)]
    if rates and document.metrics["io.bandwidth"].value is None and document.metrics["job.io_time"].value is None:
        return [_run_of_rates(index, title, document, part) for part in rates]
    return [_run_of_document(index, title, document)]


def omitted_layers(documents: Sequence[CaseDocument], runs: Sequence[Run]) -> tuple[str, ...]:
    """The layers that a benchmark measured beside the one whose runs are held against one another."""
    if any(run.of_job or run.phases for run in runs):
        return ()
    of_texts = (t.part for document in documents for t in document.texts if isinstance(t.part, BenchmarkRun))
    measured = dict.fromkeys(result.layer for run in of_texts for result in _measured(run))
    shown = {setting.value for run in runs if (setting := run.settings.get(("calls", "interface"))) is not None}
    return tuple(layer for layer in measured if layer is not None and layer not in shown)


def _is_a_table(document: CaseDocument) -> bool:
    """Whether the case is the output of one start of a benchmark that measured several layers or directories."""
    runs = [t.part for t in document.texts if isinstance(t.part, BenchmarkRun)]
    return len(runs) == 1 and len(_measured(runs[0])) > 1 and document.metrics["io.bandwidth"].value is None


def _runs_of_table(index: int, title: str, document: CaseDocument) -> list[Run]:
    runs = [t.part for t in document.texts if isinstance(t.part, BenchmarkRun)]
    return [
        replace(
            _run_of_phases(index, title, document, (run.tool, run.nprocs, run.nodes)),
            settings=benchmark_settings(run),
            phases=cells_of(run),
            command_line=run.command_line,
        )
        for run in runs
    ]


def _run_of_document(index: int, title: str, document: CaseDocument) -> Run:
    processes, nodes = number_of(document, "job.nprocs"), number_of(document, "job.nnodes")
    stripes, stripe_size = document.metrics["file.stripe_count"].value, number_of(document, "file.stripe_size")
    lacks_records, at_most = _lacks_records(document), bound_in_document(document) == AT_MOST
    slowest = None if document.account is None else document.account.slowest
    rate_of = OF_TIMERS if document.metrics[OF_JOB].value is None and number_of(document, OF_TIMERS) else OF_JOB
    return Run(
        label="",
        title=title,
        case=index,
        document=document,
        settings=settings_of(document),
        processes=None if processes is None else int(processes),
        nodes=None if nodes is None else int(nodes),
        runtime_s=number_of(document, "job.runtime"),
        io_time_s=number_of(document, "job.io_time"),
        rate=None if lacks_records else number_of(document, rate_of),
        rate_of=rate_of,
        work=_work(document),
        rereads=_rereads(document),
        read_rate=None if lacks_records else number_of(document, "io.read_bandwidth"),
        pattern=known_word(document.metrics, "io.pattern"),
        stripes=stripes if isinstance(stripes, int) else None,
        io_time_at_least_s=lower_bound_of(document, "job.io_time"),
        io_time_at_most=at_most,
        io_time_least_s=slowest.least_s if at_most and slowest is not None else None,
        io_share=number_of(document, "job.io_time_fraction"),
        io_matters=_matters(document),
        lacks_records=lacks_records,
        command_line=document.job.command_line,
        written=number_of(document, "io.bytes_written"),
        stripe_size=None if stripe_size is None else int(stripe_size),
    )


def _lacks_records(document: CaseDocument) -> bool:
    """Whether the log lacks records of the layer that moves its bytes: then even its rate is that of some files."""
    counted = CALLS_OF_LAYER.get(known_word(document.metrics, "io.layer") or "")
    return counted is not None and lower_bound_of(document, counted) is not None


CALLS_OF_LAYER: Mapping[str, str] = {
    "POSIX": "posix.writes",
    "MPI-IO": "mpiio.independent_writes",
    "STDIO": "stdio.calls",
}


def _matters(document: CaseDocument) -> bool:
    basis = basis_of(document)
    return answer(basis.significance, basis.metrics, basis.thresholds) is not False


def _work(document: CaseDocument) -> float | None:
    if any(lower_bound_of(document, i) is not None for i in ("io.bytes_written", "io.bytes_read")):
        return None
    moved = (number_of(document, "io.bytes_written") or 0.0) + (_read_once(document) or 0.0)
    return moved or None


def _read_once(document: CaseDocument) -> float | None:
    """The bytes that it read without those that it read again, as far as the sizes of its files are known."""
    read = number_of(document, "io.bytes_read")
    times = {layer: number_of(document, metric) for layer, metric in TIMES_READ.items()}
    if document.files_total == len(document.files):
        once = [_row_read_once(row, times) for row in document.files if row.bytes_read]
        if once and None not in once:
            return sum(bytes_ for bytes_ in once if bytes_ is not None)
    of_layer = times.get(known_word(document.metrics, "io.layer") or "")
    return read if read is None or of_layer is None else read / max(1.0, of_layer)


def _row_read_once(row: FileRow, times: Mapping[str, float | None]) -> float | None:
    """By the file's size; of a file without one, as a stream has none, by how often its layer reads its files."""
    read = float(row.bytes_read or 0)
    if row.size_bytes is not None:
        return min(read, row.size_bytes)
    of_layer = next((times[layer] for layer in row.layers if layer in times), None)
    return None if of_layer is None else read / max(1.0, of_layer)


TIMES_READ: Mapping[str, str] = {"POSIX": "posix.times_read", "STDIO": "stdio.times_read"}


def _rereads(document: CaseDocument) -> float | None:
    rows = [row for row in document.files if row.bytes_read]
    sizes = [row.size_bytes for row in rows]
    if not rows or any(not s for s in sizes) or document.files_total != len(document.files):
        return None
    return sum(row.bytes_read or 0 for row in rows) / sum(s or 0 for s in sizes)


def _runs_of_benchmark(
    index: int, document: CaseDocument, benchmarks: Sequence[tuple[str, BenchmarkRun]], *, alone: bool
) -> Iterator[Run]:
    """The best of every run and directory, of the layer with most results; of a single one, given alone, the rows. Each
    run has the title that stands before it."""
    results = [(title, run, result) for title, run in benchmarks for result in _measured(run)]
    layers = [result.layer for *_, result in results]
    leading = max(dict.fromkeys(layers), key=layers.count, default=None)
    chosen = [found for found in results if found[-1].layer == leading]
    if alone and len(chosen) == 1:
        title, run, result = chosen[0]
        for row in result.iterations:
            if row.bytes_per_s is not None:
                yield _run_of_benchmark(index, title, document, run, result, row)
        return
    for title, run, result in chosen:
        yield _run_of_benchmark(index, title, document, run, result, None)


def _run_of_rates(index: int, title: str, document: CaseDocument, rates: BenchmarkRates) -> Run:
    return replace(
        _run_of_phases(index, title, document, (rates.tool, rates.nprocs, rates.nodes)),
        settings=settings_of_rates(rates),
        phases=phases_of(rates),
        spreads=spreads_of(rates),
        command_line=rates.command_line,
    )


def _run_of_phases(index: int, title: str, document: CaseDocument, of: tuple[str, int | None, int | None]) -> Run:
    """A run of a benchmark, by its tool, processes and nodes, still without its phases."""
    tool, processes, nodes = of
    facts = [tool, None if processes is None else plural(processes, "rank")]
    return Run(
        label="",
        title=f"{title}: " + ", ".join(printable(s) for s in facts if s),
        case=index,
        document=document,
        settings={},
        processes=processes,
        nodes=nodes,
        runtime_s=None,
        io_time_s=None,
        rate=None,
        rate_of="benchmark.phases",
        work=None,
        rereads=None,
        read_rate=None,
        pattern=None,
        stripes=None,
    )


def _measured(run: BenchmarkRun) -> tuple[BenchmarkResult, ...]:
    found = run.of("write") or run.of("read")
    return tuple(r for r in found if r.best_bytes_per_s is not None)


def _read_beside(run: BenchmarkRun, result: BenchmarkResult) -> float | None:
    """The best rate at which the benchmark read what it wrote so; None where it did not."""
    if result.operation != "write":
        return None
    alike = (r for r in run.of("read") if (r.layer, r.striping) == (result.layer, result.striping))
    return max((r.best_bytes_per_s for r in alike if r.best_bytes_per_s is not None), default=None)


def _stripes(run: BenchmarkRun, result: BenchmarkResult, listed: StripeComponent | None) -> int | None:
    """The stripe count, −1 for all OSTs: as the benchmark says it, else as its file was listed."""
    stated = stated_stripes(run, result)
    return count_of(listed) if stated is None and result.striping is None else stated


def _striping(
    run: BenchmarkRun, result: BenchmarkResult, listed: StripeComponent | None, stripes: int | None
) -> Iterator[tuple[tuple[SettingKind, str], Setting]]:
    """What the benchmark does not say of it itself."""
    if result.striping is not None:
        words = stripes_phrase(stripes) if stripes is not None else f"that of directory {printable(result.striping)}"
        yield STRIPE_COUNT, Setting("striping", "stripe count", words, "inferred")
    elif run.stripe_count is None and stripes is not None:
        yield STRIPE_COUNT, Setting("striping", "stripe count", stripes_phrase(stripes))
    if run.stripe_size_bytes is None and listed is not None and listed.stripe_size_bytes is not None:
        yield STRIPE_SIZE, Setting(*STRIPE_SIZE, size(listed.stripe_size_bytes))


def _run_of_benchmark(
    index: int,
    title: str,
    document: CaseDocument,
    run: BenchmarkRun,
    result: BenchmarkResult,
    row: BenchmarkIteration | None,
) -> Run:
    rate = result.best_bytes_per_s if row is None else row.bytes_per_s
    best = row or next((r for r in result.iterations if r.bytes_per_s is not None and r.bytes_per_s == rate), None)
    moved = run.total_bytes if best is None or best.bytes_moved is None else best.bytes_moved
    total = None if moved is None else float(moved)
    seconds = best.seconds if best is not None else None
    listed = listed_component(document, result.file or run.file, run)
    stripes = _stripes(run, result, listed)
    settings = {**benchmark_settings(run), **dict(_striping(run, result, listed, stripes))}
    if result.layer is not None:
        settings[("calls", "interface")] = Setting("calls", "interface", result.layer)
    by_nodes = plural(run.nodes, "node") if run.nodes is not None else None
    facts = [run.tool, plural(run.nprocs, "rank") if run.nprocs is not None else by_nodes]
    facts += [result.operation, result.layer, result.striping]
    facts += [None if row is None or row.number is None else f"repetition {row.number + 1}"]
    return Run(
        label="",
        title=f"{title}: " + ", ".join(printable(s) for s in facts if s),
        case=index,
        document=document,
        settings=settings,
        processes=run.nprocs,
        nodes=run.nodes,
        runtime_s=None,
        io_time_s=seconds if seconds is not None else total / rate if total is not None and rate else None,
        rate=rate,
        rate_of=f"benchmark.{result.operation}_bandwidth",
        work=total,
        rereads=None,
        read_rate=None if row is not None else _read_beside(run, result),
        pattern=rated_pattern(run, result),
        stripes=stripes,
        command_line=run.command_line,
        written=total if result.operation == "write" else 0.0,
        stripe_size=run.stripe_size_bytes or (listed.stripe_size_bytes if listed is not None else None),
    )
