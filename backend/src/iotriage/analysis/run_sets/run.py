"""One run of a comparison, which is a case or one of a benchmark's runs: its times, the bytes it moved, and its
settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from iotriage.analysis.decision.headline_figure import AT_LEAST, AT_MOST
from iotriage.analysis.document import CaseDocument, KnownMetric
from iotriage.analysis.run_sets.phase_rates import PhaseOf
from iotriage.analysis.run_sets.setting import Setting, SettingKind
from iotriage.metrics.runs.run_set import RunFigures, SlowestOst
from iotriage.rules.core.rule import Threshold
from iotriage.rules.core.words import seconds, size
from iotriage_parsers.frozen import frozen_identity

READ_BY_BENCHMARK, WRITTEN_BY_BENCHMARK = "benchmark.read_bandwidth", "benchmark.write_bandwidth"
"""What the rate of a benchmark's run is of."""
OF_JOB, OF_TIMERS = "io.bandwidth", "timers.net_bandwidth"
"""What that of a job is of: all its bytes; where MPICH_MPIIO_TIMERS alone tell, those of its longest file."""


class TitledCase(NamedTuple):
    title: str
    document: CaseDocument


@frozen_identity
class Run:
    """`case` is the index of the case given; several runs of one benchmark share it. `work` is what the run had to
    move: the bytes that it wrote, which are `written`, and those that it read, each once. `rereads` is bytes read over
    the size of the files read, `io_share` the share of the run that its slowest rank spends in I/O, `io_matters`
    whether that is worth a finding; `io_time_at_most` where files with one record for all ranks leave open whose
    seconds add up, and then `io_time_least_s` is the least that it can be. A run that `lacks_records` of the layer that
    moves its bytes has no rate. `phases` are the rates of a benchmark by phase, `spreads` how much its iterations
    differed. None is not known."""

    label: str
    title: str
    case: int
    document: CaseDocument
    settings: Mapping[tuple[SettingKind, str], Setting]
    processes: int | None
    nodes: int | None
    runtime_s: float | None
    io_time_s: float | None
    rate: float | None
    rate_of: str
    work: float | None
    rereads: float | None
    read_rate: float | None
    pattern: str | None
    stripes: int | None
    io_time_at_least_s: float | None = None
    io_time_at_most: bool = False
    io_time_least_s: float | None = None
    io_share: float | None = None
    io_matters: bool = True
    lacks_records: bool = False
    phases: Mapping[PhaseOf, float] = field(default_factory=dict)
    spreads: Mapping[PhaseOf, float] = field(default_factory=dict)
    command_line: str | None = None
    written: float | None = None
    stripe_size: int | None = None

    def threshold(self, declared: Threshold) -> float:
        """The number that holds in this run's case: the reader's, or its site's."""
        here = self.document.thresholds.get(declared.id)
        return declared.default if here is None else here.value

    @property
    def io_time_text(self) -> str:
        return f"{AT_MOST if self.io_time_at_most else ''}{seconds(self.io_time_s or 0)}"

    @property
    def io_time_ends(self) -> tuple[float, float] | None:
        """The least and the most that it can be: one figure twice, where that is known."""
        if not self.io_time_s:
            return None
        return self.io_time_least_s or self.io_time_s, self.io_time_s

    @property
    def io_time_between(self) -> str:
        """Both ends, where they are two."""
        least, most = self.io_time_ends or (0.0, 0.0)
        return seconds_between(least, most)

    @property
    def rate_text(self) -> str:
        """The rate in words, by the most that its time can be: so it is the least."""
        return f"{AT_LEAST if self.rate_at_least else ''}{size(self.rate or 0)}/s"

    @property
    def rate_at_least(self) -> bool:
        return self.io_time_at_most and self.rate_of == OF_JOB

    @property
    def of_job(self) -> bool:
        """Whether it is a job's, and no benchmark's."""
        return self.rate_of in (OF_JOB, OF_TIMERS)

    @property
    def figures(self) -> RunFigures:
        slowest = slowest_ost_of(self.document) if self.of_job else None
        figures = (self.label, self.processes, self.rate, self.io_time_s, self.pattern, self.stripes, slowest)
        ends = self.io_time_ends
        most = self.rate * ends[1] / ends[0] if self.rate is not None and self.rate_at_least and ends else None
        return RunFigures(
            *figures,
            stripe_size=self.stripe_size,
            work=self.work,
            rate_most=most,
            io_time_least_s=self.io_time_least_s,
        )


def seconds_between(least: float, most: float) -> str:
    ends = dict.fromkeys(seconds(end) for end in (least, most))
    return " to ".join(ends)


def slowest_ost_of(document: CaseDocument) -> SlowestOst | None:
    """The job's slowest OST and the file system that it is of; None where OSTs were not compared."""
    ost, times = number_of(document, "ost.slowest"), number_of(document, "ost.slowness_for_its_load")
    mount = next((o.mount for o in document.charts.osts if o.slowest is not None and o.slowest.ost == ost), None)
    if ost is None or times is None or mount is None:
        return None
    return SlowestOst(mount, int(ost), times)


def is_unread(document: CaseDocument) -> bool:
    """Whether nothing of what was given could be read."""
    return all(source.status in ("failed", "nothing") for source in document.sources)


def lost_data(document: CaseDocument) -> bool:
    """Whether reads or writes of the run failed: what it took is not what they take."""
    return bool(number_of(document, "errors.failed_calls"))


def was_cut_short(document: CaseDocument) -> bool:
    """Whether the run, or a step of it, was ended before it was done, by a scheduler or by itself."""
    own = (source for source in document.sources if not source.of_another_job)
    return any(problem.end is not None for source in own for problem in source.warnings)


def is_one_run(runs: Sequence[Run]) -> bool:
    """Whether these are cases of one run: the same job and program, begun and ended at the same moments."""
    if len({run.case for run in runs}) < len(runs):
        return False
    seen = {
        (job.job_id, job.executable, job.nprocs, job.start_time, job.end_time)
        for job in (run.document.job for run in runs)
    }
    return len(seen) == 1 and all(known is not None for known in next(iter(seen)))


def names_a_directory(run: Run) -> bool:
    """Whether the benchmark says about its striping only how the directory is called, as the title of the run does."""
    return not run.of_job and run.stripes is None


def number_of(document: CaseDocument, metric_id: str) -> float | None:
    """The metric's number; None where it is absent, a word, or only a lower bound: bounds are not compared."""
    metric = document.metrics.get(metric_id)
    if not isinstance(metric, KnownMetric) or metric.bound is not None or not isinstance(metric.value, int | float):
        return None
    return float(metric.value)


def lower_bound_of(document: CaseDocument, metric_id: str) -> float | None:
    """What the metric is at least; None where it is known, or not even so."""
    metric = document.metrics.get(metric_id)
    if not isinstance(metric, KnownMetric) or metric.bound != "lower" or not isinstance(metric.value, int | float):
        return None
    return float(metric.value)
