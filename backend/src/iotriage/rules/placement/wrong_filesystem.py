"""The job's data goes to home, while a parallel file system is mounted beside it.

## What it does
Adds up the bytes of files below a directory for homes (/home, /users, …, or a mount of NFS with such a name in its
path), and on ARCHER2 those on the RDFaaS, and the time in them. It holds where the bytes are many and a share of the
job's that matters, or where the time is, and the mount table shows a parallel file system besides.

## Why it matters
Home is small, backed up and shared by everybody's shells; it is not made for the output of jobs, and often not even
mounted on the compute nodes. ARCHER2's advice is for the work file systems only, not home and RDFaaS; Theta's slides
say to use the project file system and not /home, which is there for development. TACC: do not run jobs in home.

## What to do
Write to the work, project or scratch file system, and copy home what you want to keep.

## Limits
Which directories are homes is told by their names. Where home is on a parallel file system itself, nothing is said, for
what is wrong with the I/O is as wrong on another; a centre may not want it there all the same. Where the mount table
has no parallel file system, nothing is said either: there is nowhere to move to. VAST, which is mounted as NFS, is told
by its rate alone: what moves several GiB/s is no slow home. Of a thousand lines and more, each of which waits for a
disk by itself, a quarter of the time is put to home: they wait so on any file system, and what gathers them cures both.
"""

from __future__ import annotations

import re

from iotriage.metrics.core.averages import average_of
from iotriage.metrics.file.home import OF_CELLS
from iotriage.metrics.tables.account.cells import Cell
from iotriage.rules.advice.caches import move_cache, move_downloads
from iotriage.rules.advice.calls import mostly_reads
from iotriage.rules.advice.placement import WORK_DIRECTORY, run_there
from iotriage.rules.advice.scratch import scratch_variable, variable_of_path
from iotriage.rules.advice.stores import store_of, store_settings
from iotriage.rules.advice.system_programs import MOVERS_OF_FILES
from iotriage.rules.advice.tools import tool_among, use_tool_otherwise
from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.action import Export
from iotriage.rules.core.claim import Claim, ProductOf, ShareOf
from iotriage.rules.core.condition import Compare, IsOneOf, all_of, any_of, clear_where_whole, when_present
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, paragraph, printable, sentence, share, size

BYTES = Threshold(
    id="wrong-filesystem.bytes",
    title="Bytes moved on home",
    default=float(2**30),
    unit="B",
    stated_by=ours("home", "The documents name the file systems and no amount; a GiB in one job is ours."),
    slider=logarithmic(float(2**20), float(2**44)),
)
FRACTION = Threshold(
    id="wrong-filesystem.fraction",
    title="Share of the bytes moved on home",
    default=0.10,
    unit="share",
    stated_by=ours("home", "Below a tenth of the bytes, moving them changes little."),
)
TIME = Threshold(
    id="wrong-filesystem.time",
    title="Share of the I/O time spent on home, however few the bytes",
    default=0.25,
    unit="share",
    stated_by=ours("home", "Few bytes may take most of the time there; a quarter of it is ours."),
)
LONG = Threshold(
    id="wrong-filesystem.io-time",
    title="I/O time of the run from which its share on home counts, however few the bytes",
    default=10.0,
    unit="s",
    stated_by=ours("home", "In shorter runs it is Python or a configuration that is read there."),
    slider=logarithmic(0.01, 3600.0),
)
OTHERS = Threshold(
    id="wrong-filesystem.parallel-file-systems",
    title="Parallel file systems at hand",
    default=1.0,
    unit="1",
    stated_by=ours("home", "Without another file system there is nothing to advise."),
    slider=linear(1.0, 10.0),
)

FAST = Threshold(
    id="wrong-filesystem.fast",
    title="Rate on home from which nothing shows that it is slow",
    default=5 * 2.0**30,
    unit="B/s",
    stated_by=ours("home", "ARCHER's guide sees no problem in more than several GiB/s; that several is five is ours."),
    slider=logarithmic(1e6, 1e12),
)

WORK = Citation("archer2-io", "opening")


def _copies(context: Context) -> bool:
    """Whether a program of the system carries files from home to another file system, or home from there."""
    elsewhere = 1 - (context.number("file.home_fraction") or 0.0)
    return elsewhere >= _ELSEWHERE and context.holds(_MUCH_AT_HOME) and context.program in MOVERS_OF_FILES


_ALL = 0.9
"""Of the bytes, those on home, from which what the job mostly does it does there."""
_ELSEWHERE = 0.1
"""Share of the bytes that a copy moves on the other file system, where it is half."""


def says(context: Context) -> Words:
    part, of_time = (context.number(f"file.home_{of}") or 0.0 for of in ("fraction", "time_fraction"))
    of_bytes = context.holds(_MUCH_AT_HOME) or part >= of_time
    home = printable(context.word("file.home"))
    to = "home" if home is None else f"home, {home},"
    instead = "instead of a file system for jobs."
    goes = f"The job's {'data goes' if of_bytes else 'I/O time goes'} to {to} {instead}"
    if of_bytes and part >= _ALL and mostly_reads(context):
        goes = f"The job reads its data from {to} {instead}"
    return Words(
        "Files are copied from home, or to it, and the time passes there." if _copies(context) else goes,
        paragraph(
            sentence(
                "{} of the bytes, {}, were moved on home.",
                formatted(context.number("file.home_fraction"), share),
                formatted(context.number("file.home_bytes"), size),
            ),
            sentence("They lie in {}.", home),
            sentence("{} of the I/O time passed there.", formatted(context.number("file.home_time_fraction"), share)),
            sentence("{} is mounted beside it.", printable(context.word("job.work_directory"))),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    word = context.word("job.work_directory")
    if _copies(context):
        kept = "the file system for jobs" if word is None else printable(word)
        return (
            advice(
                f"What is copied passes the server of home, and more processes get no more from it: leave on {kept} "
                "what the next jobs need again, and copy only what has changed, outside of the job.",
                citation=WORK,
            ),
        )
    at = context.word("file.home")
    cached = move_cache(context, at) or move_downloads(at, WORK)
    if cached:
        return cached
    tool = tool_among([context.program or ""])
    if tool is not None and TEMPORARY.search(at or ""):
        return use_tool_otherwise(tool, None, reads=False)
    if IN_TMP.search(at or "") or variable_of_path(at or "") is not None:
        return (_elsewhere_by_setting(context),)
    return (
        *_copied_to_the_nodes(context, at),
        advice(
            "Run in your directory of the work, project or scratch file system, and copy home what you want to keep.",
            run_there(word),
            citation=WORK,
        ),
    )


def _copied_to_the_nodes(context: Context, at: str | None) -> tuple[Advice, ...]:
    """For a database that is looked up there: it lies as far from the ranks on the file system for jobs."""
    file, store = context.file or "", store_of(context.file)
    if store is None or not store.copied or at is None or not file.startswith(at) or not mostly_reads(context):
        return ()
    return (store_settings(store, context, WORK, reads=True),)


def _elsewhere_by_setting(context: Context) -> Advice:
    """For temporary files: where the program runs does not move them."""
    known = scratch_variable(context)
    word = printable(context.word("job.work_directory")) or "the file system for jobs"
    which = "often it is TMPDIR, or a line in the input" if known is None else f"here it is {known}"
    return advice(
        f"These look like temporary files, and a setting says where they go, not the folder in which the program runs: "
        f"{which}. Name a folder of yours on {word} there, which is made before the job starts, or a disk of the "
        "node, where that has room for them. Where the job itself runs in that folder, let it run in another.",
        Export(known or "TMPDIR", f"{WORK_DIRECTORY.value}/tmp", expands=True),
        citation=WORK,
    )


IN_TMP = re.compile(r"/\.?(te?mp|spill)(/|$)", re.IGNORECASE)
"""Whoever runs in a folder that is called scratch may keep all of the job's files there."""
TEMPORARY = re.compile(r"/\.?(te?mp|scratch|scr|spill)(/|$)", re.IGNORECASE)
"""Folders of what nobody keeps: where such a tool puts it a setting says, and not the folder in which it runs."""

MUCH_METADATA = 0.25
"""Of the I/O time: no document has a rate of metadata by which to bound what stays of it."""


SMALL_BYTES = average_of(2**20)
"""Bytes at a time, below which each wait is longer than the moving: the rates of documents are of pieces of a MiB."""


def impact(context: Context) -> Impact | None:
    """None where metadata takes much of it, and where little is moved at a time, or each little is flushed: on the
    other file system these calls take their time too, and how long is not documented; nor where files are copied from
    there, as they must be once. Elsewhere at least what is left if metadata takes as long there."""
    if _copies(context):
        return None
    if (context.number("posix.metadata_io_fraction") or 0.0) >= MUCH_METADATA:
        return None
    if (context.number("file.home_piece") or SMALL_BYTES) < SMALL_BYTES:
        return None
    return documented_saving(
        context,
        "these files were on the file system for jobs",
        bytes_left=context.number("file.home_bytes"),
        calls_s=_metadata_there(context),
        moved=True,
    )


def _metadata_there(context: Context) -> float:
    """Seconds of the mean rank in metadata calls on home."""
    time, part = context.number("posix.metadata_time"), context.number("file.home_metadata_fraction")
    return (time or 0.0) * (part or 0.0) / (context.number("job.nprocs") or 1.0)


_MUCH_AT_HOME = Compare("file.home_fraction", ">=", FRACTION.id)
_SLOW = Compare("file.home_rate", "<", FAST.id)
"""Homes of some centres are as fast as what they have for jobs: on VAST, say, which is mounted as NFS."""


def _home_share(cell: Cell) -> ShareOf:
    return ShareOf(f"file.home_{cell}_fraction")


rule = Rule(
    id="wrong-filesystem",
    title="Heavy I/O on home",
    clear_title="The data is on a file system for jobs",
    scope="job",
    severity="high",
    priority=5,
    requires=all_of(
        when_present("file.home_bytes"),
        # Where home is on a parallel file system, too, nothing says that the other is faster.
        IsOneOf("file.home_on", ("another", "unknown", "none")),
        Compare("job.parallel_file_systems", ">=", OTHERS.id),
    ),
    condition=clear_where_whole(
        any_of(
            all_of(
                Compare("file.home_bytes", ">=", BYTES.id),
                _MUCH_AT_HOME,
                _SLOW,
            ),
            when_present(
                "file.home_time_fraction",
                Compare("file.home_time_fraction", ">=", TIME.id),
                Compare("job.io_time", ">=", LONG.id),
                _SLOW,
            ),
        )
    ),
    thresholds=(BYTES, FRACTION, TIME, LONG, FAST, OTHERS),
    citations=(
        WORK,
        Citation("theta-io", "Striping implementation notes"),
        Citation("tacc-conduct", "More File System Tips"),
    ),
    says=says,
    advise=advise,
    impact=impact,
    claims=tuple(
        Claim(
            (cell,),
            _home_share(cell)
            if cell == "metadata"
            else ProductOf((_home_share(cell), ShareOf("file.home_own_fraction"))),
        )
        for cell in OF_CELLS
    ),
    explains=("small-io",),
    confidence="inferred",
)
