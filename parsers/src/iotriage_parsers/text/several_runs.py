"""Detects statistics of several jobs, or several launches of one job, in one text, such as a terminal's scrollback or
concatenated outputs. Blocks do not name their job, so they are counted together, and a note says so."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import BinaryIO, Final

from iotriage_parsers.evidence import JobContext, MpiioStats, MpiioTimers, Part, Problem
from iotriage_parsers.text.anchors import anchor_search
from iotriage_parsers.text.cued_lines import cued_lines
from iotriage_parsers.text.lines import LineSource
from iotriage_parsers.text.wording import plural

_JOB: Final = re.compile(
    rb"(?<![A-Z_])(?:SLURM_JOB_?ID|PBS_JOBID)[ \t]*[=:][ \t]*[\"']?(\d{1,12})"
    rb"|\*\*\* (?:JOB|STEP) (\d{1,12})\S{0,20} ON \S"
    rb"|(?:srun|salloc): (?:[Jj]ob (\d{1,12}) (?:queued|has been allocated)|Granted job allocation (\d{1,12}))"
    rb"|^Subject: Job (\d{1,12}): <"
    rb"|^[ \t>]*Job ?I[Dd][ \t]*[:=][ \t]*(\d{4,12})"
    rb"|^==> (?:\S*/)?slurm-(\d{1,12})(?:_\d{1,9})?\.(?:out|err) <=="
)
"""Lines in which a job's output gives the job's own number. "Submitted batch job" is not one of them: a job that
submits the next one prints that one's number."""
_START: Final = re.compile(rb"MPICH environment settings =|MPI VERSION {1,8}: CRAY MPICH version")
"""Printed once by the first rank where MPICH_ENV_DISPLAY or MPICH_VERSION_DISPLAY is set."""
_CUES: Final = anchor_search(
    (
        b"SLURM_JOB", b"PBS_JOBID", b"*** JOB ", b"*** STEP ", b"srun: job ", b"srun: Job ", b"salloc: Granted",
        b"salloc: job ", b"Job ID", b"Job Id", b"JobID", b"JobId", b"==> ",
        b"Subject: Job ", b"MPICH environment settings =", b"CRAY MPICH version",
    )
)  # fmt: skip
_QUOTED: Final = re.compile(rb"[ \t]{0,8}>")
_ACCOUNTS: Final = ("sacct", "scontrol", "seff", "qstat", "epilogue")
_MOST_NAMED: Final = 4

Counted = MpiioStats | MpiioTimers


def several_runs(parts: Sequence[Part], stream: BinaryIO, line_bytes: int) -> tuple[Problem, ...]:
    """A note where blocks that are counted together stand with the numbers of several jobs, or behind several
    launches."""
    blocks = sorted(p.lines.first for p in parts if isinstance(p, Counted) and p.trusted)
    if len(blocks) < 2:
        return ()
    jobs, starts = _jobs_and_starts(stream, line_bytes)
    jobs = {**_accounts_around(parts, blocks), **jobs}
    remade = _remade(parts)
    if len(jobs) < 2 and remade is not None:
        return (remade,)
    if len(jobs) > 1:
        named = _listed([f"{job} (line {line})" for job, line in jobs.items()])
        first, second = list(jobs.values())[:2]
        message = (
            f"this text names {len(jobs):,} jobs: {named}. Its statistics of MPI-IO do not say of which they are, and "
            "are counted together: give the output of each job by itself"
        )
        return (Problem("note", message, line=max(first, second)),)
    launches = [n for c in parts if isinstance(c, JobContext) and c.source == "trace" for n in _lines(c)]
    # What a launcher starts is recognised by a trace, else by what MPI prints when it begins, which two of it may.
    candidates = (_with_blocks(sorted(begun), blocks) for begun in (launches, starts) if len(begun) > 1)
    having = next((found for found in candidates if len(found) > 1), [])
    if not having:
        return ()
    named = _listed([f"line {line}" for line in having])
    what = "launches" if set(having) <= set(launches) else "starts of a program"
    message = (
        f"statistics of MPI-IO follow {len(having):,} {what} ({named}) and are counted together: give the output of "
        "each by itself to see what is whose"
    )
    return (Problem("note", message, line=having[1]),)


def without_quoted_runs(
    parts: tuple[Part, ...], stream: BinaryIO, line_bytes: int
) -> tuple[tuple[Part, ...], tuple[Problem, ...]]:
    """Without the statistics that a mail quotes of an earlier run, whose file was made anew since, and a note of them:
    what the mail itself tells is the run that is asked about."""
    counted = [p for p in parts if isinstance(p, Counted)]
    if _remade(parts) is None:
        return parts, ()
    quoted = _quoted({p.lines.first for p in counted}, stream, line_bytes)
    own = {p.file for p in counted if p.lines.first not in quoted}
    earlier = [p for p in counted if p.lines.first in quoted]
    if not earlier or not own or not {p.file for p in earlier} <= own:
        return parts, ()
    message = (
        f"{plural(len(earlier), 'block')} of statistics that the mail quotes, from line {earlier[0].lines.first} on, "
        "are of an earlier run, whose file had other stripes, and left out: give them by themselves to compare the runs"
    )
    left = tuple(p for p in parts if not isinstance(p, Counted) or p.lines.first not in quoted)
    return left, (Problem("note", message, line=earlier[0].lines.first),)


def _quoted(numbers: set[int], stream: BinaryIO, line_bytes: int) -> set[int]:
    """Those of the lines that stand behind a mail's sign of a quotation."""
    stream.seek(0)
    found: set[int] = set()
    for chunk in LineSource(stream, line_bytes):
        raws = chunk.data.split(b"\n")
        inside = [number for number in numbers if 0 <= number - chunk.first < len(raws)]
        found |= {number for number in inside if _QUOTED.match(raws[number - chunk.first])}
    return found


def _accounts_around(parts: Sequence[Part], blocks: Sequence[int]) -> dict[str, int]:
    """The jobs of accounts between which statistics stand, and the line on which each is first: no list has any."""
    accounts = sorted(
        ((p.job_id, p.lines.first) for p in parts if isinstance(p, JobContext) and p.job_id and p.source in _ACCOUNTS),
        key=lambda account: account[1],
    )
    apart = {
        one
        for before, after in pairwise(accounts)
        if before[0] != after[0] and bisect_left(blocks, before[1]) < bisect_left(blocks, after[1])
        for one in (before, after)
    }
    first: dict[str, int] = {}
    for job, line in accounts:
        if (job, line) in apart:
            first.setdefault(job, line)
    return first


def _remade(parts: Sequence[Part]) -> Problem | None:
    """A file whose stripes differ between its blocks, which are those that it was made with."""
    first: dict[str, MpiioStats] = {}
    for block in parts:
        if not isinstance(block, MpiioStats) or not (block.trusted and block.stripe_count) or block.pfl:
            continue
        made = first.setdefault(block.file, block)
        if made.stripe_count != block.stripe_count:
            message = (
                f"{block.file} has {plural(made.stripe_count or 0, 'stripe')} by the block of line {made.lines.first}, "
                f"and {block.stripe_count} by that of line {block.lines.first}: it was made anew between them, as by "
                "another run, and both are counted together: give the output of each run by itself"
            )
            return Problem("note", message, line=block.lines.first)
    return None


def _lines(context: JobContext) -> Iterable[int]:
    return (launch.line for launch in context.launches)


def _with_blocks(launches: Sequence[int], blocks: Sequence[int]) -> list[int]:
    """Launches after which a block comes before the next launch."""
    found = zip(launches, [*launches[1:], blocks[-1] + 1], strict=True)
    return [start for start, end in found if bisect_left(blocks, start) < bisect_left(blocks, end)]


def _jobs_and_starts(stream: BinaryIO, line_bytes: int) -> tuple[dict[str, int], list[int]]:
    """The numbers of jobs, and the line on which each is first; and the lines that Cray MPICH prints when a program
    starts."""
    found: dict[str, int] = {}
    starts: list[int] = []
    for number, line in cued_lines(_CUES, stream, line_bytes):
        named = _JOB.search(line)
        if named is None and _START.search(line):
            starts.append(number)
        elif named is not None:
            found.setdefault(next(g for g in named.groups() if g is not None).decode(), number)
    return found, starts


def _listed(names: Sequence[str]) -> str:
    shown = [*names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        shown.append(f"{len(names) - _MOST_NAMED:,} more")
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]
