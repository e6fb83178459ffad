"""The most telling question about ranks that move bytes for others: how many of them there are, compared with the
stripes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.investigations.question import Question
from iotriage.analysis.investigations.questions_of_movers import (
    ALIGNED_TOO,
    ASKED_ALREADY,
    CROWDED,
    CROWDED_ALONE,
    FEW_MOVE,
    FEW_MOVE_TOGETHER,
    FEW_OF_ADIOS,
    FEW_OF_XIOS,
    FOUR_STRIPES,
    GATHERED_EVENLY,
    IN_FORCE,
    LITTLE_EACH,
    NO_MORE_THAN_STRIPES,
    ON_FEW_NODES,
    ONE_A_STRIPE,
    ONE_SLOW_RANK,
    ONE_STRIPE_EACH,
    OSTS_IN_USE,
    PERHAPS_IN_FORCE,
    STRIPES_IN_USE,
    WAITED_FOR,
)
from iotriage.analysis.rates import known_number, known_word
from iotriage.metrics.balance.few_movers import FEW_OF
from iotriage.metrics.core.missing_evidence import HINTS
from iotriage.metrics.mpi.library import CRAY_MPICH
from iotriage.metrics.tables.settings import HINT_VARIABLE
from iotriage.rules.advice.calls import library_named
from iotriage.rules.advice.packages import package_among
from iotriage.rules.advice.packages.package import IoRanks
from iotriage.rules.collective import few_nodes, single_aggregator
from iotriage.rules.core.action import Export
from iotriage.rules.core.condition import AllOf, Compare
from iotriage.rules.core.words import number, plural, printable, seconds, share
from iotriage.sites import all_sites
from iotriage.sites.mounts import kind_of
from iotriage.sites.site import MAYBE_LUSTRE

OF_THE_LIBRARY = "the library's own number of I/O ranks"
LITTLE = 16 * 2.0**20
"""Bytes of a file for each of its stripes, below which nobody is sent for more of them: two of the largest stripes that
ARCHER's guide tries. That it is two is ours."""
SEVERAL, FEW_STRIPES = 2.0, 4.0
SOME_ALONE = 0.1
"""Of the bytes."""
NEARLY_ONE = 0.9
"""Of the ranks that move the bytes for each stripe, from which there is one: a variance gives a little less."""


BESIDE = 1.5
"""Distance between two ranks that move bytes up to which they are neighbours."""
ON_ONE_NODE = (
    "the ranks that move the bytes lie beside one another, perhaps all on one node: add what says how many nodes the "
    "job had, as what sacct lists of it."
)


def _perhaps_on_one_node(question: Question, metrics: Metrics) -> Question:
    return replace(question, known=ON_ONE_NODE) if _lie_beside_one_another(metrics) else question


def _lie_beside_one_another(metrics: Metrics) -> bool:
    """Whether no source states the nodes, and few of the ranks of their step, one after the other, move the bytes."""
    apart, among, of_slowest = (
        known_number(metrics, id) for id in ("balance.moving_ranks_apart", "balance.movers_among", "balance.ranks")
    )
    ranks = of_slowest if among is None else among
    few = [n for id in ("mpiio.movers", "balance.movers") if (n := known_number(metrics, id)) is not None]
    if apart is None or apart > BESIDE or ranks is None or not few or known_number(metrics, "job.nnodes") is not None:
        return False
    return SEVERAL <= min(few) <= ranks / FEW_OF


SPREAD_BY = {
    "library": "with Cray MPICH MPICH_MPIIO_AGGREGATOR_PLACEMENT_STRIDE=-1; elsewhere without the hint cb_config_list",
    "program": "libraries that gather have a stride for it, as PIO's",
}
"""By who chose the ranks that move the bytes, how to spread them."""
ON_FEW = {
    who: AllOf(
        (
            Compare("balance.ranks_per_moving_node", ">=", few_nodes.RANKS.id),
            Compare("balance.nodes_per_moving_node", ">=", nodes.id),
        )
    )
    for who, nodes in (("library", few_nodes.NODES), ("program", few_nodes.OF_PROGRAM))
}


def _on_few_nodes(metrics: Metrics) -> Question | None:
    """Where several of these ranks are on each of a few nodes, and `few-nodes` does not hold: these move little, and
    are not known to be what is waited for."""
    moving, fraction, nodes = (
        known_number(metrics, id)
        for id in ("balance.moving_nodes", "balance.busiest_node_fraction", "balance.moving_step_nodes")
    )
    chosen = known_word(metrics, "balance.moved_by") or ""
    if moving is None or fraction is None or nodes is None or chosen not in SPREAD_BY:
        return None
    waits = "Whether the others wait for them, no log says. " if chosen == "program" else ""
    its_own = _io_ranks(metrics) if chosen == "program" else None
    spread_by = (None if its_own is None else its_own.stride_phrase) or SPREAD_BY[chosen]
    if few_nodes.is_even(moving, fraction):
        where = f"the ranks that move the bytes are on {number(moving)} of {number(nodes)} nodes"
        few = f"{where}, whose links and clients have the data of all"
    else:
        what = "aggregators, and moves the data of these" if _are_aggregators(metrics) else "bytes to move,"
        few = f"one of {number(nodes)} nodes has {share(fraction)} of the {what} by its own link and client"
    return replace(ON_FEW_NODES, words=ON_FEW_NODES.words.format(few, waits, spread_by), when=ON_FEW[chosen])


def _are_aggregators(metrics: Metrics) -> bool:
    """Whether these ranks are those of the placement table, which says where they are and not what they move."""
    nodes, fraction = (metrics[f"balance.{of}"] for of in ("moving_nodes", "busiest_node_fraction"))
    return nodes.confidence != fraction.confidence


def slow_mover_questions(metrics: Metrics) -> Iterator[Question]:
    on_few = _on_few_nodes(metrics)
    if on_few is not None:
        yield on_few
    yield _perhaps_on_one_node(_waited_for(metrics), metrics)


def _waited_for(metrics: Metrics) -> Question:
    """More aggregators than stripes take one another's locks, unless they are locked otherwise: nobody is sent to try
    that."""
    if is_crowded(metrics):
        return as_many_as_stripes(CROWDED, metrics)
    stripes, each = known_number(metrics, "file.stripe_count"), known_number(metrics, "mpiio.movers_per_stripe")
    movers = known_number(metrics, "mpiio.effective_aggregators")
    of_stripe, of_file = known_number(metrics, "file.stripe_size"), known_number(metrics, "file.size")
    little = of_file is None or stripes is None or of_file < LITTLE * max(stripes, FEW_STRIPES)
    others = known_word(metrics, "file.other_osts") != "none"
    if stripes == 1 and of_stripe and others and not little:
        pool = known_word(metrics, "file.pool")
        layout = replace(FOUR_STRIPES[0], size_bytes=int(of_stripe), pool=pool)
        return replace(ONE_STRIPE_EACH, actions=(layout,))
    shared = known_word(metrics, "io.pattern") == "shared-collective"
    if not shared or stripes is None or stripes < SEVERAL or (each is None and movers is None) or _alone(metrics):
        kind = kind_of(known_word(metrics, "file.mount_type") or "")
        with_stripes = NO_MORE_THAN_STRIPES if kind in MAYBE_LUSTRE else ""
        return replace(WAITED_FOR, words=WAITED_FOR.words.format(with_stripes))
    if (each if each is not None else (movers or 0.0) / stripes) >= NEARLY_ONE:
        if of_file is not None and little:
            return LITTLE_EACH
        return OSTS_IN_USE if known_word(metrics, "file.other_osts") == "none" else STRIPES_IN_USE
    return _one_for_each(stripes, metrics)


def _one_for_each(stripes: float, metrics: Metrics) -> Question:
    """One of them for each stripe, or where these are more than the ranks, all ranks."""
    ranks = known_number(metrics, "job.nprocs")
    these, many = (OF_THE_JOB, ranks) if ranks is not None and ranks < stripes else (OF_STRIPES, stripes)
    question = replace(ONE_A_STRIPE, words=ONE_A_STRIPE.words.format(these, number(many)))
    return _by_hint(question, these, many, metrics)


OF_STRIPES, OF_THE_JOB = "the file has stripes", "the job has"


def as_many_as_stripes(question: Question, metrics: Metrics) -> Question:
    return _by_hint(question, OF_STRIPES, known_number(metrics, "file.stripe_count"), metrics)


def _by_hint(question: Question, these: str, many: float | None, metrics: Metrics) -> Question:
    """With the line for Cray's library, behind the hints that the job has: another is told it where the file is
    opened. Who asks for another number already changes that: of two no document says which has the last word."""
    site = all_sites().get(known_word(metrics, "job.site") or "")
    library = known_word(metrics, "mpi.library") or (None if site is None else site.mpi_library)
    asked = known_number(metrics, "hints.cb_nodes")
    if many is not None and asked is not None and (asked == many or (these == OF_THE_JOB and asked > many)):
        measured = metrics["hints.cb_nodes"].confidence == "measured"
        see = IN_FORCE if measured else PERHAPS_IN_FORCE.format(_prints_hints(library))
        return replace(ASKED_ALREADY, words=ASKED_ALREADY.words.format(these, number(many), see))
    if library != CRAY_MPICH or many is None or _asks_for_aggregators(metrics, many):
        return question
    hints = f"${{{HINT_VARIABLE}:+${HINT_VARIABLE},}}*:cb_nodes={many:.0f}"
    return replace(question, actions=(Export(HINT_VARIABLE, hints, expands=True),))


def _prints_hints(library: str | None) -> str:
    """What has the library print the hints of a file that it opens."""
    of_cray = f"{HINTS}=1"
    if library == CRAY_MPICH:
        return of_cray
    other = single_aggregator.PRINTS_HINTS.get(library or "", single_aggregator.BY_ROMIO)
    printed = f"{other.name}={other.value}"
    return printed if library is not None else f"{of_cray} with Cray MPICH, {printed} with others"


def _asks_for_aggregators(metrics: Metrics, stripes: float) -> bool:
    """Whether there is a number of them that is not the library's own for so many stripes, or ranks."""
    asked, each = known_number(metrics, "hints.cb_nodes"), known_number(metrics, "hints.nodes_multiplier") or 1.0
    return asked is not None and asked != stripes * each


def is_crowded(metrics: Metrics) -> bool:
    locked = (known_number(metrics, "hints.lock_mode") or 0.0) >= 1
    return _share_stripes(metrics) and not locked


def crowded_alone_question(metrics: Metrics) -> Question | None:
    """Where nodes that share each stripe of a file write on their own, by MPI-IO: collective calls cost a hint, and the
    writes are too large to say that they contend."""
    each = known_number(metrics, "file.writing_nodes_per_stripe")
    alone = known_word(metrics, "io.pattern") == "shared-independent" and known_word(metrics, "io.layer") == "MPI-IO"
    if not alone or each is None or each < SEVERAL:
        return None
    library = library_named(known_word(metrics, "file.largest"))
    return replace(
        CROWDED_ALONE, words=CROWDED_ALONE.words.format(number(round(each)), "" if library is None else ALIGNED_TOO)
    )


def _share_stripes(metrics: Metrics) -> bool:
    """Whether several of the ranks that move the bytes of one shared file share each of its stripes."""
    each = known_number(metrics, "mpiio.movers_per_stripe")
    shared = known_word(metrics, "io.pattern") == "shared-collective" and not _alone(metrics)
    return each is not None and each >= SEVERAL and shared


def _alone(metrics: Metrics) -> bool:
    """Whether independent calls carry some of the bytes: who moves those moves its own, whatever the hints."""
    return (known_number(metrics, "mpiio.independent_bytes_lower_fraction") or 0.0) >= SOME_ALONE


def more_movers_questions(metrics: Metrics) -> Iterator[Question]:
    only_more = known_word(metrics, "file.subfiles_of") == "ADIOS2" or _sets_their_number_alone(metrics)
    on_few = None if only_more else _on_few_nodes(metrics)
    if on_few is not None:
        yield on_few
    yield _perhaps_on_one_node(_more_movers(metrics), metrics)


def _sets_their_number_alone(metrics: Metrics) -> bool:
    """Whether the program is known by name, and what says how many of its ranks write, but nothing how far apart."""
    its_own = _io_ranks(metrics)
    return few_nodes.XIOS.fullmatch(_program(metrics)) is not None or (its_own is not None and its_own.stride is None)


def _program(metrics: Metrics) -> str:
    return known_word(metrics, "job.program") or ""


def _io_ranks(metrics: Metrics) -> IoRanks | None:
    found = package_among([_program(metrics)])
    return None if found is None else found.io_ranks


def _more_movers(metrics: Metrics) -> Question:
    """For time in which few ranks move all bytes: more of them, by the name that the library or the program has."""
    if known_word(metrics, "file.subfiles_of") == "ADIOS2":
        return FEW_OF_ADIOS
    ranks, files = known_number(metrics, "balance.movers_alike"), known_word(metrics, "balance.movers_alike_files")
    if gathered_evenly(metrics) and ranks is not None and files is not None:
        does = "read" if known_word(metrics, "balance.movers_alike_way") == "reads" else "write"
        return replace(GATHERED_EVENLY, words=GATHERED_EVENLY.words.format(number(ranks), does, printable(files)))
    if few_nodes.XIOS.fullmatch(_program(metrics)):
        return FEW_OF_XIOS
    its_own = _io_ranks(metrics)
    spread_by = SPREAD_BY["program"] if its_own is None else its_own.stride_phrase
    if spread_by is not None and _lie_beside_one_another(metrics):
        # More of them would lie there, too.
        return replace(FEW_MOVE_TOGETHER, words=FEW_MOVE_TOGETHER.words.format(spread_by))
    number_of_them = OF_THE_LIBRARY if its_own is None else its_own.number_phrase
    return replace(FEW_MOVE, words=FEW_MOVE.words.format(number_of_them))


def gathered_evenly(metrics: Metrics) -> bool:
    """Whether several ranks do the I/O of some files for all, beside what all do."""
    return known_word(metrics, "balance.gathered_evenly") == "yes"


def few_ranks_move(metrics: Metrics) -> bool:
    """Whether several ranks move the bytes, and most of the others none, in the step that takes longest. Another of as
    many ranks may be the one that moves most."""
    movers, busy, among, ranks = (
        known_number(metrics, metric)
        for metric in ("balance.movers", "balance.busy_ranks", "balance.movers_among", "balance.ranks")
    )
    if movers is None or busy is None or among is None or among != ranks:
        return False
    return movers > 1 and max(movers, busy) <= among / FEW_OF


def are_a_program(metrics: Metrics) -> bool:
    """Whether the program that moves most bytes has few of the ranks that run beside one another."""
    own, among = (known_number(metrics, f"balance.{of}") for of in ("step_ranks", "movers_among"))
    return own is not None and among is not None and own <= among / FEW_OF


def one_slow_rank_question(metrics: Metrics) -> Question | None:
    """Where one rank takes longer for as many bytes than each of the others, and not so long that it is a finding."""
    slow, pace = known_number(metrics, "balance.slow_ranks"), known_number(metrics, "balance.slowest_pace")
    took, others_s = known_number(metrics, "job.io_time"), known_number(metrics, "balance.others_time")
    ranks, file = known_number(metrics, "balance.ranks"), known_word(metrics, "balance.file")
    if slow != 1 or pace is None or pace < SLOWER or took is None or others_s is None or took < SLOWER * others_s:
        return None
    where = "" if file is None else f", most of it in {printable(file)},"
    of, longer = plural(int(ranks or 0), "rank"), number(pace)
    words = ONE_SLOW_RANK.words.format(of, seconds(took), where, seconds(others_s), longer)
    return replace(ONE_SLOW_RANK, words=words)


SLOWER = 1.5
"""Factor over the time of every other rank from which one rank is slower by more than chance: ours."""
