"""The ranks of one node are slow: who they are, and how to find the node that had them."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.rules.core import Advice, Citation, Context, advice
from iotriage.rules.core.action import FillIn, Named, RunCommand
from iotriage.rules.core.support import SupportText, naming_support
from iotriage.rules.core.words import formatted, number, plural, printable, rank_name, seconds, sentence
from iotriage_parsers.evidence.job_context import Scheduler


def slow_node_headline(context: Context) -> str:
    """The headline, where balance.slow_block is known."""
    nodes = context.number("balance.block_nodes") or 1
    if nodes > 1:
        return _several_nodes_headline(context, nodes)
    node = slow_node_name(context)
    as_many = "as many as a node has" if context.number("job.nnodes") else "one node, it seems"
    who = f"Ranks {_block(context)}, {as_many}," if node is None else f"The ranks of one node, {printable(node)},"
    times = number(context.number("balance.block_apart") or 1.0)
    return f"{who} take {times} times as long as the others for the same work, and these wait for them."


def slow_node_name(context: Context) -> str | None:
    """The node that has the slow ranks, or the block of them beside which another rank is slow, where it has a name."""
    return context.word("balance.slow_node") or context.word("balance.block_node_names")


def _several_nodes_headline(context: Context, nodes: float) -> str:
    names, every = context.word("balance.block_node_names"), context.number("job.nnodes")
    which = f"ranks {_block(context)}" if names is None else printable(names)
    times = number(context.number("balance.block_apart") or 1.0)
    of_all = f"{number(nodes)} nodes" if every is None else f"{number(nodes)} of {number(every)} nodes"
    return (
        f"The ranks of {of_all}, {which}, take {times} times as long as the others for the same work, and these wait "
        "for them."
    )


def slower_rank_sentence(context: Context) -> str | None:
    """What is said of a rank on another node that is slower still."""
    rank, took = context.number("balance.block_longer_rank"), context.number("balance.block_longer_time")
    if rank is None or took is None:
        return None
    who = f"{rank_name(rank).capitalize()}, which is not one of them,"
    return f"{who} takes {seconds(took)}: longer than they, and not for that node."


def slow_node_sentence(context: Context) -> str | None:
    """Where ranks do much in files of all, it is not known which of them are slow there."""
    beside = "" if context.number("balance.slow_ranks") is not None else ", but for files that all ranks share,"
    return sentence(
        f"{{}} took {{}} times as long in I/O{beside} as nearly all of the others, which needed at most {{}} for as "
        "many bytes, in as many calls.",
        formatted(context.number("balance.block_ranks"), lambda n: plural(n, "rank")),
        formatted(context.number("balance.block_apart"), number),
        formatted(context.number("balance.block_others_time"), seconds),
    )


def avoid_node(
    context: Context, node: str, citation: Citation, *, whichever_files: bool, alone: bool = True
) -> tuple[Advice, ...]:
    """Where the node's name is known; not `alone` where a rank elsewhere is slow, too."""
    files = ", whichever files they use" if whichever_files else ""
    who, named = "All slow ranks" if alone else "These ranks", printable(node)
    return (
        advice(
            SupportText(
                f"{who} are on {named}{files}: report it to your centre's support, and run without that node.",
                f"{who} are on {named}{files}: we have that node looked at. Run without it.",
            ),
            citation=citation,
        ),
        *_run_without(context, Named(node), "it"),
    )


def find_node(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """Which node it is, and a run without it. A log names no nodes; the scheduler gave them, and ranks go to them in
    the order of its list unless somebody places them otherwise."""
    if (context.number("balance.block_nodes") or 1) > 1:
        return _find_nodes(context, citation)
    return (
        advice(
            naming_support(
                lambda support: (
                    f"See which node had ranks {_block(context)}: the scheduler gives ranks to the nodes of its list "
                    "in turn, a block each, unless something else was asked for. Run again without that node; if the "
                    "same ranks are slow on another one, they are slow for what they do. If they are not, report the "
                    f"node to {support}."
                )
            ),
            *_NODES_OF_JOB.get(context.scheduler, ()),
            citation=citation,
            lead=_only_slurm(context, "With Slurm its list is:"),
        ),
        *_run_without(context, FillIn("NODE", "the name of the node"), "it"),
    )


def _find_nodes(context: Context, citation: Citation) -> tuple[Advice, ...]:
    otherwise = f"those of ranks {_block(context)}"
    names = context.word("balance.block_node_names")
    return avoid_nodes(context, names, otherwise, "they are slow for what they do", citation)


def avoid_nodes(
    context: Context, names: str | None, otherwise: str, if_not: str, citation: Citation
) -> tuple[Advice, ...]:
    """Several that are slow at once may have a switch, or a way to the storage, of their own. `otherwise` says which
    they are where nobody names them, `if_not` what it is where the ranks stay slow."""
    which = otherwise if names is None else printable(names)
    several = (
        "several at once may share a switch, or a way to the storage. Run again without them; if the same ranks are "
        f"slow on others, {if_not}."
    )
    nodes = f"the slow nodes, {which},"
    theirs = f"Report {nodes} to us" if names is None else f"We have {nodes} looked at"
    listed = () if names else _NODES_OF_JOB.get(context.scheduler, ())
    return (
        advice(
            SupportText(f"Report {nodes} to your centre's support: {several}", f"{theirs}: {several}"),
            *listed,
            citation=citation,
            lead=_only_slurm(context, "With Slurm the nodes of the job are:") if listed else None,
        ),
        *_run_without(context, FillIn("NODES", "the list of their names, with commas between them"), "them"),
    )


_JOB_ID = FillIn("JOB_ID", "the number of the job")
_BY_SLURM = (RunCommand(("sacct", "-X", "-n", "-o", "NodeList", "-j", _JOB_ID)),)
_NODES_OF_JOB: Mapping[Scheduler | None, tuple[RunCommand, ...]] = {
    None: _BY_SLURM,
    "slurm": _BY_SLURM,
    "pbs": (RunCommand(("qstat", "-x", "-f", _JOB_ID)),),
    "lsf": (RunCommand(("bhist", "-l", _JOB_ID)),),
    "flux": (RunCommand(("flux", "jobs", "-n", "-o", "{nodelist}", _JOB_ID)),),
}
"""How a scheduler is asked for the nodes of a job that has ended; Cobalt forgets them."""


def _only_slurm(context: Context, lead: str) -> str | None:
    """What leads to a command of Slurm where nobody says that it ran the job."""
    return lead if context.scheduler is None else None


def _run_without(context: Context, which: Named | FillIn, them: str) -> tuple[Advice, ...]:
    """Slurm leaves out nodes that a job names. PBS has nothing for it: that a job says which nodes it does not want is
    a proposal that nobody works on (https://pbspro.atlassian.net/wiki/spaces/PD/pages/52108208, PP-507)."""
    if context.scheduler == "pbs":
        return (
            advice(
                SupportText(
                    f"PBS has no option by which a job leaves {them} out: ask your centre's support to take {them} out "
                    "of service until somebody has looked, and run again then.",
                    f"PBS has no option by which a job leaves {them} out: we take {them} out of service until somebody "
                    "has looked; run again then.",
                )
            ),
        )
    if context.scheduler not in ("slurm", None):
        return (
            advice(
                naming_support(
                    lambda support: f"Ask {support} how a job leaves {them} out there: schedulers differ in it."
                )
            ),
        )
    lead = f"The run without {them}{', with Slurm' if context.scheduler is None else ''}:"
    script = FillIn("JOB_SCRIPT", "the script of the job")
    return (advice("", RunCommand(("sbatch", "--exclude", which, script)), lead=lead),)


def _block(context: Context) -> str:
    return printable(context.word("balance.slow_block") or "")
