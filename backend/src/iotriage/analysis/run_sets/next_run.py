"""The next run: for each cause found, the experiment that would confirm or refute it, as lines for the job script.

Two variants in fresh directories, in turn, three times each (long runs once): A as it was, B with the advice of the
finding and nothing else, both with the statistics on that show whether the finding is gone. `run_sets.comparison`
judges the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from iotriage.analysis.decision.basis import DecisionBasis
from iotriage.analysis.document import Finding, Findings
from iotriage.analysis.document.next_run import Experiment, LaunchLine, NextRun, Trial
from iotriage.metrics.core.metric import Metric
from iotriage.rules.core.action import (
    EditCode,
    EditPython,
    Export,
    HintsFile,
    ModuleLoad,
    ModuleSwap,
    Named,
    RunCommand,
    SetHint,
    SetStripe,
    SiteLines,
    Unset,
)
from iotriage.rules.core.advice import Advice
from iotriage.rules.core.commands import line as line_of
from iotriage.rules.core.commands import shell_word
from iotriage.rules.core.words import directory_of

MOST_EXPERIMENTS = 3
_HERE = Named(".")

CONFIRMED_IF = "B no longer shows the finding, and its I/O is faster by more than equal runs usually differ"
REFUTED_IF = "B no longer shows the finding, and its I/O is not faster"
SEND_BACK = ("The folders of the runs, each with the program's output, its standard error and its Darshan log.",)
SHORTEN = "Shorten the run where the program can, to one of its outputs: the same change shows at less cost."


CHANGING = (SetStripe, SetHint, HintsFile, Export, Unset, ModuleLoad, ModuleSwap, SiteLines, EditCode, EditPython)
"""Actions that make the next run differ; the others only look at something, or are carried out beside the run."""


def next_run_of(findings: Findings, launch: LaunchLine, basis: DecisionBasis) -> NextRun | None:
    """The experiments for the causes among `findings`; None where no advice could improve anything."""
    causes = [f for f in findings if f.verdict == "triggered" and _is_a_cause(f, basis)]
    first = {f.rule: f for f in reversed(causes)}
    chosen = [f for f in causes if first[f.rule] is f]
    found = [e for f in chosen if (e := _experiment(f, launch)) is not None][:MOST_EXPERIMENTS]
    if not found:
        return None
    return NextRun(tuple(found), SEND_BACK)


def trials_of(
    rule: str, advice: Sequence[Advice], file: str | None, metrics: Mapping[str, Metric], launch: LaunchLine
) -> Iterator[Trial]:
    """The experiments for the advice of `rule` on `file`, for a job with these metrics."""
    where = directory_of(file)
    directory = f"{shell_word(where)}/prove-{rule}" if where else f'"$PWD"/prove-{rule}'
    for index, fix in enumerate(advice):
        if _is_tried(fix, metrics):
            lines = _script(rule, fix, directory, _as_they_were(fix, metrics), launch)
            yield Trial(index, "\n".join(lines))


def _is_tried(fix: Advice, metrics: Mapping[str, Metric]) -> bool:
    """Whether the next run is another one with it, and by it alone: what is copied first, or looked at, changes nothing
    of what the program does. Files that meet on an OST without all beginning there meet on none when they are made
    again, and A would have nothing to cure."""
    changes = any(
        isinstance(action, CHANGING) and not (isinstance(action, EditCode | EditPython) and action.measures)
        for action in fix.actions
    )
    striping = _striping(fix)
    met = striping is not None and striping.first_ost is not None and _one_first_ost(metrics) is None
    return changes and not met and not any(isinstance(action, RunCommand) for action in fix.actions)


def _is_a_cause(finding: Finding, basis: DecisionBasis) -> bool:
    """Whether a triggered finding is a cause that an experiment can confirm."""
    return finding.weighed and not basis.rules[finding.rule].leads and finding.explained_by is None


def _experiment(finding: Finding, launch: LaunchLine) -> Experiment | None:
    """With the first advice that changes the run, as the rule gives it: what other findings add is left out."""
    if finding.says is None:
        return None
    given = finding.says.advice
    chosen = next((trial for trial in finding.says.trials if trial.advice not in finding.given_way), None)
    if chosen is None:
        return None
    return Experiment(
        rule=finding.rule,
        title=finding.title,
        question=f"Test whether this is the cause: {finding.headline or finding.title}",
        script=chosen.script,
        changes_program=_is_built_again(given[chosen.advice]),
        cost=launch.cost,
        confirmed_if=CONFIRMED_IF,
        refuted_if=REFUTED_IF,
        comparing=f"iotriage compare prove-{finding.rule}/*",
    )


def _is_built_again(fix: Advice) -> bool:
    return fix.kind == "code" or bool(_linked(fix))


def _linked(fix: Advice) -> list[str]:
    return [line_of(action) for action in fix.actions if isinstance(action, ModuleLoad) and action.linked]


def _script(rule: str, fix: Advice, directory: str, before: str | None, launch: LaunchLine) -> list[str]:
    own = "" if launch.own else "   # your own launch line"
    change = (fix.command or "").splitlines() if fix.kind == "code" else _here(fix)
    times = "once each" if launch.repeats == 1 else f"{launch.repeats} times each, in turn"
    lines = [f"# {rule}: A as it was, B with the fix and nothing else; {times}."]
    lines += [f"# {comment}" for comment in (launch.cost, SHORTEN if launch.repeats == 1 else None) if comment]
    lines += [*_remarks(launch), *launch.showing]
    if _is_built_again(fix):
        built = _linked(fix) or change
        lines += ["", "# B is a second build of the program, with this change:", *(f"#   {line}" for line in built)]
        lines += _started(launch, own)
        changed = launch.changed if not any(isinstance(a, EditPython) for a in fix.actions) else None
        same = "" if changed else "   # the same line, with the changed program"
        lines += [f"B() {{ {changed or _where_it_is(launch)}; }}{same}"]
    else:
        lines += ["", *_started(launch, own), "B() { A; }"]
    after = [] if fix.kind == "code" else change
    return [*lines, "", *_in_turn(directory, before, after, launch)]


_OF_ITS_OWN = re.compile(r"[\w.][\w.+-]*(/[\w.+-]+)+", re.ASCII)
"""The path of a program from where the job starts it."""


def _started(launch: LaunchLine, own: str) -> list[str]:
    there = _where_it_is(launch)
    return [*([] if there == launch.text else ["start=$PWD"]), f"A() {{ {there}; }}{own}"]


def _where_it_is(launch: LaunchLine) -> str:
    """The line with the program where the job has it: each run has a directory of its own."""
    words, name = launch.text.split(" "), launch.program or ""
    if words.count(name) != 1 or not _OF_ITS_OWN.fullmatch(name):
        return launch.text
    return " ".join(f'"$start"/{name.removeprefix("./")}' if word == name else word for word in words)


def _remarks(launch: LaunchLine) -> list[str]:
    return [
        f"# {said}"
        for said in ("Paths of what the program reads are seen from the directory of each run.", *launch.remarks)
    ]


def striping_script(what: str, directory: str, before: str | None, after: str, launch: LaunchLine) -> str:
    """A as it was, B with its fresh directory striped by `after`; `what` says what that tries."""
    own = "" if launch.own else "   # your own launch line"
    lines = [f"# {what}: A as it was, B with that and nothing else."]
    lines += [] if launch.cost is None else [f"# {launch.cost}."]
    lines += [f"# {SHORTEN}", *_remarks(launch), *launch.showing]
    lines += ["", *_started(launch, own), "B() { A; }", ""]
    return "\n".join([*lines, *_in_turn(directory, before, [after], launch)])


def _in_turn(directory: str, before: str | None, after: Sequence[str], launch: LaunchLine) -> list[str]:
    """Runs A and B, each in a fresh directory of its own; `before` and `after` are lines for those. Where an earlier
    time or another task of an array has left such directories, nothing runs: what they hold would be mixed with what
    comes. B is the first of a pair as often as A nearly: what comes second finds servers and nodes as the first left
    them."""
    pairs = ((f"A-{n}", f"B-{n}") for n in range(1, launch.repeats + 1))
    runs = [run for n, pair in enumerate(pairs) for run in (pair if n % 2 == 0 else reversed(pair))]
    return [
        f"base={directory}",
        'mkdir -p "${base%/*}" && mkdir "$base" &&   # move away what an earlier time left: Darshan writes over no log',
        f"for run in {' '.join(runs)}; do",
        "  v=${run%-*}",
        '  mkdir "$base/$run"',
        "  (",
        '    cd "$base/$run" || exit   # the program must write here',
        *(['    export DARSHAN_LOGFILE="$PWD/run.darshan"'] if launch.one_log else []),
        *([] if before is None else [f"    if [ $v = A ]; then {before}; fi   # as the files were"]),
        *(["    if [ $v = B ]; then", *(f"      {line}" for line in after), "    fi"] if after else []),
        "    $v > stdout.txt 2> stderr.txt",
        "  )",
        "done",
    ]


def _striping(fix: Advice) -> SetStripe | None:
    return next((action for action in fix.actions if isinstance(action, SetStripe)), None)


def _here(fix: Advice) -> list[str]:
    """What it sets, in the fresh directory of a variant and not in the job's own."""
    fitted = (replace(a, directory=_HERE, new=False) if isinstance(a, SetStripe) else a for a in fix.actions)
    return [text for action in fitted for text in line_of(action).splitlines()]


def _as_they_were(fix: Advice, metrics: Mapping[str, Metric]) -> str | None:
    """Beside advice that stripes a directory, the line that gives a fresh one the striping that the job's files had;
    None where that is not known."""
    striping, count = _striping(fix), metrics["file.stripe_count"].value
    if striping is None or not isinstance(count, int):
        return None
    size = metrics["file.stripe_size"].value
    size_bytes = int(size) if isinstance(size, int | float) else striping.size_bytes
    first = None if striping.first_ost is None else _one_first_ost(metrics)
    return line_of(SetStripe(_HERE, count, size_bytes, first_ost=first))


def _one_first_ost(metrics: Mapping[str, Metric]) -> int | None:
    """The OST on which nearly all files begin, where it is one."""
    first, how_many = metrics["file.first_ost"].value, metrics["file.first_osts"].value
    return first if isinstance(first, int) and how_many == 1 else None
