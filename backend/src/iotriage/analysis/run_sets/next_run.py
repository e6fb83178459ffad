"""The next run: for each cause found, the experiment that would confirm or refute it, as lines for the job script.

Two variants in fresh directories, in turn, three times each: A as it was, B with the advice of the finding and nothing
else, both with the statistics on that show whether the finding is gone. `run_sets.comparison` judges the result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from iotriage.analysis.run_sets.command_line import words_of
from iotriage.metrics.core.missing_evidence import DARSHAN, ENVIRONMENT, EVIDENCE, HINTS, TIMERS
from iotriage.rules.core.action import Named, SetStripe
from iotriage.rules.core.advice import Advice
from iotriage.rules.core.commands import command_of, line, shell_word
from iotriage.rules.core.words import directory_of, plain
from iotriage_parsers.evidence import JobContext

if TYPE_CHECKING:
    from iotriage.analysis.basis import DecisionBasis
    from iotriage.analysis.document import Finding, JobFacts, TextEvidence
    from iotriage.metrics.core.metric import Metric

MOST_EXPERIMENTS = 3
REPEATS = 3
_HERE = Named(".")
_HARMLESS = re.compile(r"[\w \t./:=,@%+\"{}$*\[\]-]+")
"""A launch line of the job's script is repeated only if it is made of these: no second command, no substitution."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """Whether the cause that `rule` names takes the time. `script` goes into the job script as it stands;
    `changes_program` where B needs another build, whose change `script` has as comments."""

    rule: str
    title: str
    question: str
    script: str
    changes_program: bool
    confirmed_if: str
    refuted_if: str


@dataclass(frozen=True, slots=True)
class NextRun:
    """The experiments, the gravest cause first, and what to send back."""

    experiments: tuple[Experiment, ...]
    send_back: tuple[str, ...]


CONFIRMED_IF = "it is gone in B, and the I/O of B is faster by more than equal runs usually differ"
REFUTED_IF = "it is gone in B, and the I/O of B is no faster"


def next_run_of(
    findings: Sequence[Finding], job: JobFacts, texts: Sequence[TextEvidence], basis: DecisionBasis
) -> NextRun | None:
    """The experiments for the causes among `findings`; None where nothing is wrong that advice can put right."""
    causes = {f.rule: f for f in reversed(findings) if _is_a_cause(f, basis)}
    chosen = [f for f in findings if causes.get(f.rule) is f][:MOST_EXPERIMENTS]
    experiments = tuple(_experiment(f, job, texts, basis.metrics) for f in chosen)
    if not experiments:
        return None
    names = " ".join(f"prove-{e.rule}/*" for e in experiments[:1])
    return NextRun(
        experiments,
        (
            "The folders of the runs, each with the program's output, its standard error and its Darshan log.",
            f"Or compare them where they are: iotriage compare {names}",
        ),
    )


def _is_a_cause(finding: Finding, basis: DecisionBasis) -> bool:
    return (
        finding.verdict == "triggered"
        and finding.weighed
        and not basis.rules[finding.rule].leads
        and finding.explained_by is None
        and _fix(finding.advice) is not None
    )


def _fix(advice: Sequence[Advice]) -> Advice | None:
    """The first advice that can be carried out."""
    return next((a for a in advice if a.actions and a.withheld is None), None)


def _experiment(
    finding: Finding, job: JobFacts, texts: Sequence[TextEvidence], metrics: Mapping[str, Metric]
) -> Experiment:
    fix = _fix(finding.advice)
    assert fix is not None
    by_code = fix.kind == "code"
    return Experiment(
        rule=finding.rule,
        title=finding.title,
        question=f"Is it this that takes the time? {finding.headline or finding.title}",
        script="\n".join(_script(finding, fix, job, texts, metrics)),
        changes_program=by_code,
        confirmed_if=CONFIRMED_IF,
        refuted_if=REFUTED_IF,
    )


def _script(
    finding: Finding, fix: Advice, job: JobFacts, texts: Sequence[TextEvidence], metrics: Mapping[str, Metric]
) -> list[str]:
    where = directory_of(finding.scope.file)
    base = f"{shell_word(where)}/prove-{finding.rule}" if where else f'"$PWD"/prove-{finding.rule}'
    launch, known = _launch(job, texts)
    own = "" if known else "   # your own launch line"
    lines = [f"# {finding.rule}: A as it was, B with the fix and nothing else; {REPEATS} times each, in turn."]
    lines.append("# Paths in the launch line are seen from the directory of each run.")
    for key in (ENVIRONMENT, HINTS, TIMERS):
        lines += EVIDENCE[key].lines
    lines += [f"{each}   # unless it is loaded already" for each in EVIDENCE[DARSHAN].lines]
    if fix.kind == "code":
        lines += ["", "# B is a second build of the program, with this change:"]
        lines += [f"#   {each}" for each in _lines(fix)]
        lines += [f"A() {{ {launch}; }}{own}", f"B() {{ {launch}; }}   # the same line, with the changed program"]
    else:
        lines += ["", f"A() {{ {launch}; }}{own}", "B() { A; }"]
    return [
        *dict.fromkeys(lines[:-2]),
        *lines[-2:],
        "",
        f"base={base}",
        f"for n in {' '.join(str(n + 1) for n in range(REPEATS))}; do",
        "  for v in A B; do",
        '    mkdir -p "$base/$v-$n"',
        "    (",
        '      cd "$base/$v-$n" || exit   # the program must write here',
        '      export DARSHAN_LOGFILE="$PWD/run.darshan"',
        *_layout_of_a(fix, metrics),
        *_for_b(fix),
        "      $v > stdout.txt 2> stderr.txt",
        "    )",
        "  done",
        "done",
    ]


def _launch(job: JobFacts, texts: Sequence[TextEvidence]) -> tuple[str, bool]:
    """The line that starts the program, and whether it is the job's own. One that could do anything else is not
    repeated."""
    launches = [launch for t in texts if isinstance(t.part, JobContext) for launch in t.part.launches]
    if launches and _HARMLESS.fullmatch(launches[0].text):
        return " ".join(plain(launches[0].text).split()), True
    words = words_of(job.command_line)
    program = " ".join(shell_word(w) for w in words) if words else "./your-program"
    size = [f"--ntasks={job.nprocs}"] if job.nprocs else []
    size += [f"--nodes={job.nnodes}"] if job.nnodes else []
    return " ".join(["srun", *size, program]), False


def _for_b(fix: Advice) -> list[str]:
    """What is done for B alone before it starts: the advice's own actions, and a striping in the variant's own
    directory, which is fresh."""
    if fix.kind == "code":
        return []
    striping = _striping(fix)
    commands = _lines(fix) if striping is None else [line(replace(striping, directory=_HERE))]
    return ["      if [ $v = B ]; then", *(f"        {each}" for each in commands), "      fi"]


def _lines(fix: Advice) -> list[str]:
    return (command_of(fix.actions).text or "").splitlines()


def _striping(fix: Advice) -> SetStripe | None:
    """Where the fix is to stripe a directory, and no more."""
    match fix.actions:
        case (SetStripe() as striping,):
            return striping
        case _:
            return None


def _layout_of_a(fix: Advice, metrics: Mapping[str, Metric]) -> list[str]:
    """The striping that the job's files had, where the fix is another: a fresh directory may have a third."""
    count, size = metrics["file.stripe_count"].value, metrics["file.stripe_size"].value
    striping = _striping(fix)
    if striping is None or not isinstance(count, int):
        return []
    known = int(size) if isinstance(size, int | float) else striping.size_bytes
    return [f"      if [ $v = A ]; then {line(SetStripe(_HERE, count, known))}; fi   # as the files were"]
