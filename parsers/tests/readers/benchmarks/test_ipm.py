"""IPM's banner: values by hand, cut, and amid other output."""

from __future__ import annotations

from stats_text import REPOSITORY, codes, read

from iotriage_parsers.evidence import JobContext, Lines

SAMPLE = REPOSITORY / "sample-logs" / "ipm" / "two-versions"
NEW, OLD = ((SAMPLE / name).read_text(encoding="utf-8") for name in ("terrace.out", "older.out"))


def said(context: JobContext) -> tuple[int | None, int | None, float | None, str | None, str | None, bool]:
    c = context
    return c.ntasks, c.nnodes, c.elapsed_s, c.start_local, c.end_local, c.complete


def test_both_versions_state_the_size_and_the_time_of_the_run() -> None:
    (new,), (old,) = read(NEW).of(JobContext), read(OLD).of(JobContext)
    assert said(new) == (256, 2, 125.18, "2026-11-20T09:14:02", "2026-11-20T09:16:07", True)
    assert said(old) == (96, 24, 24.2784, "2008-05-23T12:10:41", "2008-05-23T12:11:05", True)
    assert (new.lines, old.lines) == (Lines(3, 28), Lines(1, 9))
    assert (new.line_of("elapsed_s"), new.line_of("ntasks")) == (7, 8)
    assert codes(read(NEW)) == codes(read(OLD)) == []


def test_the_seconds_of_the_ranks_in_io_are_those_of_the_first_row() -> None:
    """Below it stand percents of the wall clock, and calls."""
    (new,), (old,) = read(NEW).of(JobContext), read(OLD).of(JobContext)
    assert (new.io_mean_s, new.io_slowest_s, new.line_of("io_slowest_s")) == (7.55, 88.71, 15)
    assert (old.io_mean_s, old.io_slowest_s) == (None, None)
    without = "\n".join(line for line in NEW.splitlines() if "1931.80" not in line) + "\n"
    (context,) = read(without).of(JobContext)
    assert context.io_slowest_s is None


def test_a_banner_that_breaks_off_keeps_what_stands_there() -> None:
    cut = read(NEW[: NEW.index("# files")])
    (context,) = cut.of(JobContext)
    assert said(context)[:3] == (256, 2, 125.18)
    assert (context.complete, codes(cut)) == (False, ["unterminated"])


def test_lines_of_other_ranks_between_take_nothing() -> None:
    lines = NEW.splitlines()
    mixed = "\n".join(x for line in lines for x in (line, "rank 7: checkpoint written")) + "\n"
    (context,) = read(mixed).of(JobContext)
    assert said(context)[:3] == (256, 2, 125.18)


def test_what_the_command_says_is_no_figure() -> None:
    (context,) = read(NEW.replace("--steps 200", "mpi_tasks : 9 on 9 nodes wallclock : 1.00")).of(JobContext)
    assert said(context)[:3] == (256, 2, 125.18)


def test_a_script_behind_a_banner_that_breaks_off_is_a_script() -> None:
    script = "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks=8\nsrun ./app\n"
    banner, job = sorted(read(f"{NEW[: NEW.index('# files')]}\n{script}").of(JobContext), key=lambda c: c.source)
    assert (banner.source, banner.ntasks, job.source, job.nnodes) == ("ipm", 256, "script", 4)


def test_the_sum_over_the_ranks_is_no_time_of_the_run() -> None:
    """Where the line with the time is lost, the row of all ranks has it as the most of any."""
    (context,) = read(NEW.replace("   wallclock : 125.18\n", "\n")).of(JobContext)
    assert (context.elapsed_s, context.line_of("elapsed_s")) == (125.18, 13)
    row = next(line for line in NEW.splitlines() if "32041" in line)
    (context,) = read(NEW.replace("   wallclock : 125.18\n", "\n").replace(row, row[:40])).of(JobContext)
    assert context.elapsed_s is None


def test_a_banner_that_is_cut_at_a_column_has_no_cut_figure() -> None:
    for text, known in ((NEW, {125.18}), (OLD, {24.2784})):
        for width in range(30, 80):
            cut = read("".join(f"{line[:width]}\n" for line in text.splitlines()))
            assert {c.elapsed_s for c in cut.of(JobContext)} <= {None, *known}
