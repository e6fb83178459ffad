"""What fixing a finding could save, at least and at most, and by whose figures.

The least is what is left of the finding's seconds after the data has been moved at a rate that a document states, or at
the rate of a better rank of the same job. The most is the seconds that the cure reaches
(`iotriage.analysis.decision.allotment`): all that the finding claims, even where another finding was given those
seconds first, and the waiting that no finding claims. A tenth is added, since equal runs differ by as much, where the
run has that many seconds outside I/O in which other ranks wait. The most can therefore be larger than the seconds that
the finding takes; it is never more than all the I/O. A rule that cannot state a least states no saving.
"""

from __future__ import annotations

from iotriage.metrics.core.metric import NO_TIME
from iotriage.rules.core.documented_rates import A_SMALL_FILE_S, SERIAL_WRITER
from iotriage.rules.core.fixed_numbers import RUNS_DIFFER
from iotriage.rules.core.rule import Context, Impact
from iotriage.rules.core.words import number, seconds, size
from iotriage.sites.mounts import kind_of

SLOWEST_SHARED = ((24, 662.0), (48, 1311.0), (96, 2270.0), (192, 3791.0), (384, 5396.0), (768, 5775.0))
"""Processes, and MiB a second: ARCHER's guide (archer-bpg, "Single Shared File (SSF)"), the slowest for so many or
more, on all OSTs."""
OF_FOUR_OSTS = 815.0
"""MiB a second: the slowest of the same table on four OSTs."""
OF_ITS_OWN = 5929.0 / 24
"""MiB a second of a process, and of an OST: the slowest of the same guide (section "File Per Process (FPP)"), 24 files
of one stripe each by 24 processes. On all 48 OSTs they are as fast, 11,930 at least, and then no faster."""
OSTS_OF_ARCHER = 48.0
OWN_FILES = ("file-per-process", "file-per-node")
"""Patterns in which ranks take no locks from one another."""
MOSTLY_READ = 0.9
"""Share of the bytes from which files count as read: reads take no locks from one another, whoever else reads the
file."""


WHAT_THE_MOST_IS = "the upper: with all that waits for it, and up to a tenth more, by which equal runs differ"


NOBODY_MAY_WAIT = (
    "The last ranks alone write these files: as I/O servers they do so while the others compute, and whether anybody "
    "waits for them is not in the log."
)


def may_be_servers(context: Context) -> bool:
    """Whether the files belong to ranks that may be I/O servers, writing for the others. A cure may then save nothing:
    the run waits for servers only where they are not done when the next output comes."""
    return context.word("balance.last_ranks_alone") == "yes"


def slowest_documented(
    context: Context, osts: str | float, ranks: float | None = None, *, as_now: bool = False
) -> float:
    """Bytes a second that data in large pieces reaches at least by ARCHER's guide: of one OST, or of the slowest shared
    files of as many processes (the `ranks` that take part, or those of the scope), on so many OSTs (`osts`, or the
    metric of that id) or on the least that the files can lie on. Where it moves `as_now`, in files of which nobody
    takes another's locks, of as many OSTs and processes with a file each."""
    many, servers = ranks or context.number("job.nprocs") or 1.0, _servers(context, osts)
    shared = max((rate for processes, rate in SLOWEST_SHARED if processes <= many), default=0.0)
    if servers is not None:
        shared = min(shared, servers * OF_FOUR_OSTS / 4)
    own = _by_themselves(context, many, servers) if as_now else 0.0
    return max(SERIAL_WRITER, shared * 2**20, own * 2**20)


def _by_themselves(context: Context, many: float, servers: float | None) -> float:
    """MiB a second of files whose users wait for no lock; 0 of others, and where nobody knows on how many OSTs."""
    if context.word("io.pattern") in OWN_FILES:
        users = context.number("file.count")
    elif _mostly_reads(context):
        users = context.number("file.readers") or many
    else:
        return 0.0
    if context.number(LIE_ON) is None or servers is None or users is None:
        return 0.0
    return OF_ITS_OWN * min(servers, users, many, OSTS_OF_ARCHER)


def _mostly_reads(context: Context) -> bool:
    moved, read = context.number("io.bytes") or 0.0, context.number("io.bytes_read") or 0.0
    return moved > 0 and read >= MOSTLY_READ * moved


def _servers(context: Context, osts: str | float) -> float | None:
    """Files that are used one after the other have no more OSTs than those in use at a time. None where nobody knows
    how many there may be."""
    if not isinstance(osts, str):
        return osts
    if osts != LIE_ON:
        return context.number(osts)
    lie_on, at_once = context.number(LIE_ON) or _least_osts(context), context.number("file.stripes_at_once")
    return lie_on if lie_on is None or at_once is None else min(lie_on, at_once)


def _least_osts(context: Context) -> float | None:
    """On how many OSTs the files lie at least where no source tells: one, or one for each of the files that ranks have
    of their own, which Lustre spreads. None of what does not lie on Lustre."""
    if _kind(context) not in LUSTRE_OR_NOT_KNOWN:
        return None
    return _one_each(context)


def _one_each(context: Context) -> float:
    own = context.number("file.count") if context.word("io.pattern") in OWN_FILES else None
    return own or 1.0


LIE_ON = "file.osts"


def documented_saving(
    context: Context,
    cure: str,
    *,
    most: float = 1.0,
    bytes_left: float | None = None,
    calls_s: float = 0.0,
    osts: str | float = LIE_ON,
    ranks: float | None = None,
    as_now: bool = False,
    moved: bool = False,
    in_small_pieces: bool = False,
) -> Impact | None:
    """All of it, or the share `most`; at least all but the time of `bytes_left` (all bytes of the scope where None) at
    the slowest documented rate of so many `ranks`, and the `calls_s` of metadata, for which no document has a rate.
    `as_now` where the cure leaves to each file its users; `moved` where it takes the files to another file system, on
    whose OSTs they lie as they may; `in_small_pieces` where what is left moves in smaller ones than those that were
    measured. None where the bytes are not known."""
    left = context.number("io.bytes") if bytes_left is None else bytes_left
    if left is None or not 0 < most <= 1:
        return None
    lie_on = _one_each(context) if moved else osts
    rate, shared = (slowest_documented(context, lie_on, ranks, as_now=each) for each in (as_now, False))
    of = "for one OST" if rate == SERIAL_WRITER else "for so many processes"
    if rate > shared:
        of = "for as many OSTs where no process takes another's locks"
    what = "that" if calls_s < NO_TIME else "metadata calls take as long as now and the data"
    half, rate = ("half of ", rate / 2) if in_small_pieces else ("", rate)
    source = f"{half}the slowest that ARCHER's guide has {of}{' on Lustre' if moved else _of_another_kind(context)}"
    because = f"if {cure}. The lower figure: if {what} then runs at {size(rate)}/s, {source}"
    return Impact(f"{because}; {WHAT_THE_MOST_IS}", most, 1.0, left / rate + calls_s)


def _of_another_kind(context: Context) -> str:
    """What is said about the guide's rate where the files are known to lie on something else than Lustre."""
    elsewhere = " on Lustre (these files are not on Lustre: it is only a comparison)"
    return "" if _kind(context) in LUSTRE_OR_NOT_KNOWN else elsewhere


def _kind(context: Context) -> str:
    kind = context.file_system
    return kind if kind != "unknown" else kind_of(context.word("file.mount_type") or "")


OTHERS_ALIKE = ", for the others took as long as one another"
LUSTRE_OR_NOT_KNOWN = ("lustre", "dvs", "unknown")
"""Kinds of file systems. What DVS forwards to, no mount tells."""


def documented_saving_or_share(context: Context, cure: str, *, least: float, why: str, osts: str) -> Impact | None:
    """All of it; at least by the slowest documented rate, or where the files pass faster than half of that already, the
    share `least`, of which `why` says where it is from."""
    moved, took = context.number("io.bytes"), context.number("group.io_time")
    if moved is None or took is None or moved / slowest_documented(context, osts) < (1 - least) * took:
        return documented_saving(context, cure, osts=osts)
    return Impact(f"if {cure}. The lower figure: {why}; {WHAT_THE_MOST_IS}", 1.0, least, 0.0)


def full_saving(cure: str, why: str = "") -> Impact:
    """All of it, where what it takes is already counted beyond what others alike do; `why` no more of it may stay."""
    return Impact(f"if {cure}. The lower figure: a tenth less{why}; {WHAT_THE_MOST_IS}", 1.0, 1.0, 0.0)


def fewer_calls_saving(calls: float | None, left: float | None, cure: str) -> Impact | None:
    """All of it; at least all but the share of the `calls` that `left` are, since each takes as long as one does now.
    None where hardly any would be spared."""
    if not calls or left is None or left >= RUNS_DIFFER * calls:
        return None
    least = f"if {number(left)} of the {number(calls)} calls stay and take as long as now"
    because = f"if {cure}. The lower figure: {least}"
    return Impact(f"{because}; {WHAT_THE_MOST_IS}", 1.0, 1 - left / calls, 0.0)


def one_stripe_saving(context: Context) -> Impact | None:
    """All of it; at least all but the time to make as many files, one after the other, and to move what is in them, as
    is documented of files with one stripe. None where neither is known."""
    files, moved, took = context.number("file.count"), context.number("io.bytes"), context.number("group.io_time")
    if files is None or moved is None:
        return None
    stays = files * A_SMALL_FILE_S + moved / SERIAL_WRITER
    if took is not None and stays > took / 2:
        why = "if that makes them twice as fast: EPCC's slides have 20 times, of files on one stripe instead of 48"
        return Impact(f"if each file had one stripe. The lower figure: {why}; {WHAT_THE_MOST_IS}", 1.0, 0.5, 0.0)
    because = (
        f"if each file had one stripe. The lower figure: if making them then takes {seconds(A_SMALL_FILE_S)} a file, "
        f"as EPCC's slides have it, and the bytes pass at {size(SERIAL_WRITER)}/s, as ARCHER's guide has for one OST"
    )
    return Impact(f"{because}; {WHAT_THE_MOST_IS}", 1.0, 1.0, stays)


def slowest_mover_saving(context: Context, cure: str) -> Impact | None:
    """All that the ranks which move the bytes wait for the slowest of them; at least all but what they would wait for
    the next. None where the ranks' times below MPI-IO are not known."""
    stays = context.number("balance.storage_next_waiting_time")
    return None if stays is None else next_slowest_saving(stays, cure)


def next_slowest_saving(stays: float, cure: str) -> Impact:
    """All that is waited for what is slow; at least all but the seconds that ranks then wait for the next."""
    then = f"a tenth less{OTHERS_ALIKE}" if stays < NO_TIME else f"if ranks then wait {seconds(stays)} for the next"
    because = f"if {cure}. The lower figure: {then}"
    return Impact(f"{because}; {WHAT_THE_MOST_IS}", 1.0, 1.0, stays)


def slow_rank_saving(context: Context, cure: str, *, shared_out: bool = False) -> Impact | None:
    """All that the slowest rank takes beyond the mean; at least what it takes beyond the slowest of those that are not
    slow, which is the job's own better rank; where the bytes are `shared_out`, with its part of what the busy ones move
    more. Of a group of files all of it is in these, whatever else the ranks do. None where not every rank has its own
    times, or the others have nothing to do."""
    mean, others = context.number("balance.mean_time"), context.number("balance.others_time")
    part = _part_of_the_others(context) if shared_out else 1.0
    if mean is None or others is None or part is None:
        return None
    stays = max(0.0, others * part - mean)
    as_much = "" if part <= AS_MUCH else f", which then move {number(part)} times as much"
    because = (
        f"if {cure}. The lower figure: if the run then waits for the slowest of the other ranks, "
        f"{seconds(others)}{as_much}"
    )
    return Impact(f"{because}; {WHAT_THE_MOST_IS}", 1.0, 1.0, stays)


AS_MUCH = 1.01
"""Factor up to which ranks are not said to have to move more than they do now."""


def _part_of_the_others(context: Context) -> float | None:
    """How many times as much the ranks that are not busy move when all move as much. None where they move nothing."""
    ranks, over_mean = context.number("balance.ranks"), context.number("balance.bytes")
    busy = context.number("balance.busy_ranks") or 1.0
    if ranks is None or over_mean is None:
        return 1.0
    theirs = ranks - busy * over_mean
    return max(1.0, (ranks - busy) / theirs) if theirs > 0 else None
