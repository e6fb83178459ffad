"""How a benchmark is started beside a job."""

from __future__ import annotations

from iotriage.rules.core import Context
from iotriage.rules.core.action import FillIn, Place, RunCommand
from iotriage.sites.launcher import started_at
from iotriage.sites.site import Site
from iotriage_parsers.frozen import frozen

NEW_FILE = FillIn("NEW_FILE", "a new file where it is to be measured")
_RANKS = FillIn("RANKS", "the number of ranks that the job has")
_CALL = FillIn("CALL", "the size of a call, as IOR takes it")
_OF_A_RANK = FillIn("OF_A_RANK", "what a rank moves, a multiple of a call")
_MOST_OF_A_RANK = 2**32
"""Bytes: what a rank of IOR moves at most shows the rate as well as all that a job moves; the number is ours."""


@frozen
class Ranks:
    """As many as a job had, and on how many nodes; None where that is not known."""

    ranks: int | None
    nodes: int | None


def ior_write_then_read(context: Context, *how: str) -> tuple[RunCommand, RunCommand]:
    """IOR writing with a sync, and reading in a run of its own with the ranks shifted to other nodes: as many ranks as
    there were, on as many nodes. The second removes what the first has kept."""
    ranks, nodes = context.number("job.nprocs"), context.number("job.nnodes")
    size = Ranks(None if ranks is None else round(ranks), None if nodes is None else round(nodes))
    start = start_of(context.site, size)
    write, read = ("-w", "-e", "-k"), ("-r", "-C")
    return (
        RunCommand((*start, "ior", *write, *how, "-o", NEW_FILE)),
        RunCommand((*start, "ior", *read, *how, "-o", NEW_FILE)),
    )


def ior_like_job(
    site: Site | None, size: Ranks, how: tuple[str | Place, ...], *, call: float | None, moved: float | None
) -> RunCommand:
    """IOR doing as a job did: its ranks, and calls as large. `moved` are all bytes; a rank of IOR moves a multiple of
    its calls. Of how many ranks nobody knows the bytes of one are asked for: all of them once for each would be many
    times as much."""
    each: tuple[str | Place, str | Place] = (_CALL, _OF_A_RANK)
    if call and moved:
        of_call = power_of_two(call)
        of_rank = None if size.ranks is None else min(moved / size.ranks, _MOST_OF_A_RANK)
        blocks = _OF_A_RANK if of_rank is None else ior_size(max(1, round(of_rank / of_call)) * of_call)
        each = (ior_size(of_call), blocks)
    return RunCommand((*start_of(site, size), "ior", *how, "-t", each[0], "-b", each[1]))


def start_of(site: Site | None, size: Ranks) -> tuple[str | Place, ...]:
    """By the launcher of the site, or mpiexec where that is not known; one process is started as it is."""
    if size.ranks == 1:
        return ()
    by_site = () if site is None else started_at(site, size.ranks, size.nodes)
    return by_site or ("mpiexec", "-n", _RANKS if size.ranks is None else str(size.ranks))


def power_of_two(size_bytes: float) -> int:
    """The next one below, or the size itself: no access of a job is said to be larger than it was."""
    return 1 << (max(1, int(size_bytes)).bit_length() - 1)


def ior_size(size_bytes: int) -> str:
    """A number of bytes as IOR takes it: "1g", "47008"."""
    for unit, letter in ((2**30, "g"), (2**20, "m"), (2**10, "k")):
        if size_bytes % unit == 0:
            return f"{size_bytes // unit}{letter}"
    return str(size_bytes)
