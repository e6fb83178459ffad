"""The questions about time in which some of the ranks move the bytes for all, with their commands. Which of them tells
most, see `iotriage.analysis.investigations.of_movers`."""

from __future__ import annotations

from iotriage.analysis.investigations.question import THE_FILE, TRACED, Question
from iotriage.rules.advice.striping import DEFAULT_SIZE_BYTES, NEW_DIRECTORY
from iotriage.rules.core.action import RunCommand, SetStripe

NO_MORE_THAN_STRIPES = ", on Lustre with no more than the file has stripes"
WAITED_FOR = Question(
    words=(
        "the ranks that call the storage take nearly all of that time, and the others wait for them. See whether it "
        "is long for the bytes: run once with twice as many of these ranks (the hint cb_nodes, or the library's own "
        "number of I/O ranks){}; if nothing changes, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
    of_other_movers=True,
)
"""For time in MPI-IO that has passed below it, in other ranks' calls."""
CROWDED = Question(
    words=(
        "the ranks that call the storage take nearly all of that time, and several of them share each stripe of the "
        "file, where they may take one another's locks. Run once with as many of these ranks as the file has stripes "
        "(the hint cb_nodes); if nothing changes, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
    of_other_movers=True,
)
"""The same, where there are more of these ranks than stripes."""
CROWDED_ALONE = Question(
    words=(
        "for each stripe of the file there are {} nodes that write it, each rank on its own, and they may take one "
        "another's locks. Write it once with collective calls, by as many aggregators as the file has stripes (the "
        "hint cb_nodes){}; if nothing changes, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
)
"""For writes that nobody gathers, in pieces too large for `lock-contention` and `misaligned-io`."""
ALIGNED_TOO = ", and with its objects on the boundaries of stripes"
ONE_A_STRIPE = Question(
    words=(
        "the ranks that call the storage take nearly all of that time, and the others wait for them. Run once with as "
        "many of these ranks as {}, {} (the hint cb_nodes); if nothing changes, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
    of_other_movers=True,
)
"""The same, where they are fewer than the stripes by the variance of bytes over ranks, or than the ranks of the job."""
ASKED_ALREADY = Question(
    words=(
        "the ranks that call the storage take nearly all of that time, and the others wait for them. By the hint "
        "cb_nodes there are as many of these ranks as {}, {}, and another number moves the bytes. See {}; if not, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
    of_other_movers=True,
)
"""Where the hint is what would be tried."""
IN_FORCE = "whether the program opens the file with some of its ranks alone"
"""What is left to see where the library has printed that hint; otherwise what it prints, too."""
PERHAPS_IN_FORCE = (
    "which hints the library prints when it opens this file ({}), and whether the program gives it another number, "
    "or opens it with some of its ranks"
)
STRIPES_IN_USE = Question(
    words=(
        "the ranks that call the storage take nearly all of that time, and the others wait for them. There is one of "
        "them for each stripe of the file, and more would take one another's locks: run once with more stripes, in a "
        "new directory, if there are more OSTs; if nothing changes, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
    of_other_movers=True,
)
"""The same, where there are as many as stripes."""
FOUR_STRIPES = (SetStripe(NEW_DIRECTORY, 4, DEFAULT_SIZE_BYTES, new=True),)
ONE_STRIPE_EACH = Question(
    words=(
        "the ranks that call the storage take nearly all of that time, and the others wait for them. A file has one "
        "stripe, on which one of them at a time has the lock, so that more of these ranks alone win nothing: run once "
        "with four stripes for each file, in a new directory, and as many of these ranks (the hint cb_nodes)."
    ),
    actions=FOUR_STRIPES,
    of_other_movers=True,
)
"""The same, where a file has no other stripe to use."""
OSTS_IN_USE = Question(
    words=(
        "the ranks that call the storage take nearly all of that time, and the others wait for them. There is one of "
        "them or more for each stripe, and the file lies on every OST that there is. Run it again at another hour, "
        "for the file system is everybody's; if it takes as long, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
)
"""The same, where there are no more stripes to be had."""
LITTLE_EACH = Question(
    words=(
        "the ranks that call the storage take nearly all of that time, and the others wait for them. Each of them "
        "writes little of a file, so that to begin may take longer than to write: put several steps or variables into "
        "one file in one run, or try a quarter of these ranks (the hint cb_nodes), and of the stripes."
    ),
)
"""The same, where the files are small for their stripes."""
TWO_KINDS = Question(
    words=(
        "{} of the ranks that move the bytes take {} times as long as the others or longer, for as many bytes. See "
        "first what these have in common, the OSTs of their files or their nodes; run it again, and where the same are "
        "slow"
    ),
    for_support=", tell {}.",
)
"""Where neither the servers nor the nodes are known well enough to be named."""
ON_OTHER_OSTS = Question(
    words=(
        "{} of the ranks that move the bytes take {} times as long as the others or longer, for as many bytes, and "
        "their files lie on OSTs of their own ({}). See whether these are servers of two kinds, a pool of flash and "
        "one of disks: then give the directory the faster pool before the files are made (lfs setstripe -p); if not"
    ),
    actions=(RunCommand(("lfs", "pool_list", THE_FILE)),),
    for_support=", tell {}.",
)
ON_OTHER_NODES = Question(
    words=(
        "{} of the ranks that move the bytes take {} times as long as the others or longer, for as many bytes, and "
        "they ran on nodes of their own ({}). Run it again on other nodes; if the same are slow"
    ),
    for_support=", tell {}.",
)
"""Where the slow and the others have no OST, or no node, in common."""
FEW_MOVE = Question(
    words=(
        "few of the ranks move all of the bytes. Whether the others wait for them, no log says. Run once with twice "
        "as many of these ranks ({}); if nothing changes, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
    of_other_movers=True,
)
"""For time in which most ranks do no I/O."""
FEW_MOVE_TOGETHER = Question(
    words=(
        "few of the ranks move all of the bytes. Whether the others wait for them, no log says. Run once with as many "
        "of these ranks, spread over all nodes ({}); if nothing changes, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
    of_other_movers=True,
)
"""The same, where they may all be on one node."""
FEW_ARE_FAST = Question(
    opening="Not explained, and perhaps nothing is wrong: ",
    words=(
        "few of the ranks move all of the bytes, but ARCHER's guide sees no problem in more than several GiB/s. See "
        "what the file system gives: run IOR with all ranks, and calls as large. If that is no faster, neither are "
        "more ranks that move the bytes, and only less data, or output less often, takes less time; if it is, run once "
        "with twice as many of them."
    ),
    kind="perhaps-fine",
)
"""Where they are as fast together as a job without a problem."""
ON_FEW_NODES = Question(
    words="{}. {}Run once with as many of these ranks, spread over all nodes ({}); if nothing changes, ",
    trace="run",
    after=".",
    actions=TRACED,
    of_other_movers=True,
)
"""Before more of them are tried, which may lie there too."""
GATHERED_EVENLY = Question(
    words=(
        "{} of the ranks, evenly spread, {} {} for all. Whether the others wait for them, no log says: where these go "
        "on meanwhile, as where SCR or VeloC copies what lies on the nodes, nothing is lost. If they wait, run once "
        "with twice as many of these ranks; if nothing changes, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
    of_other_movers=True,
)
"""The same, beside what all ranks move."""
FEW_OF_ADIOS = Question(
    words=(
        "few of the ranks move all of the bytes. Whether the others wait for them, no log says. ADIOS2 takes one rank "
        "a node unless NumAggregators, a parameter of its BP engines, says otherwise: run once with twice as many; if "
        "nothing changes, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
    of_other_movers=True,
)
FEW_OF_XIOS = Question(
    words=(
        "few of the ranks move all of the bytes. Whether the others wait for them, no log says; XIOS writes into "
        "xios_client_*.out how long they waited for free buffers. Run once with twice as many servers (as many as "
        "xios_server.exe is started with, where using_server in iodef.xml is true); if nothing changes, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
    of_other_movers=True,
)
ONE_SLOW_RANK = Question(
    words=(
        "one of {} takes {}{} and none of the others more than {}; for each byte it takes {} times as long as they do. "
        "Run it once more: where another rank is slow then, something was in its way just then; where it is the same, "
        "look at its node and at where its files lie."
    ),
)
