"""The next run: for each cause found, the experiment that would confirm or refute it, as lines for the job script.

Two variants in fresh directories, in turn, three times each: A as it was, B with the advice of the finding and nothing
else, both with the statistics on that show whether the finding is gone. `run_sets.comparison` judges the result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iotriage.analysis.run_sets.command_line import words_of
from iotriage.metrics.core.missing_evidence import DARSHAN, ENVIRONMENT, EVIDENCE, HINTS, TIMERS
from iotriage.rules.core.rule import Advice
from iotriage.rules.core.words import directory_of, plain, shell_word
from iotriage_parsers.evidence import JobContext

if TYPE_CHECKING:
    from iotriage.analysis.document import Finding, JobFacts, Told
    from iotriage.metrics.core.metric import Metric

MOST_EXPERIMENTS = 3
REPEATS = 3
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
    findings: Sequence[Finding], job: JobFacts, told: Sequence[Told], metrics: Mapping[str, Metric]
) -> NextRun | None:
    """The experiments for the causes among `findings`; None where nothing is wrong that advice can put right."""
    causes = {f.rule: f for f in reversed(findings) if _is_a_cause(f)}
    chosen = [f for f in findings if causes.get(f.rule) is f][:MOST_EXPERIMENTS]
    experiments = tuple(_experiment(f, job, told, metrics) for f in chosen)
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


def _is_a_cause(finding: Finding) -> bool:
    return (
        finding.verdict == "triggered"
        and finding.matters is not None
        and not finding.leads
        and finding.explained_by is None
        and _fix(finding.advice) is not None
    )


def _fix(advice: Sequence[Advice]) -> Advice | None:
    """The first advice that can be carried out."""
    return next((a for a in advice if a.command is not None), None)


def _experiment(finding: Finding, job: JobFacts, told: Sequence[Told], metrics: Mapping[str, Metric]) -> Experiment:
    fix = _fix(finding.advice)
    assert fix is not None
    by_code = fix.kind == "code"
    return Experiment(
        rule=finding.rule,
        title=finding.title,
        question=f"Is it this that takes the time? {finding.headline or finding.title}",
        script="\n".join(_script(finding, fix, job, told, metrics)),
        changes_program=by_code,
        confirmed_if=CONFIRMED_IF,
        refuted_if=REFUTED_IF,
    )


def _script(
    finding: Finding, fix: Advice, job: JobFacts, told: Sequence[Told], metrics: Mapping[str, Metric]
) -> list[str]:
    where = directory_of(finding.scope.file)
    base = f"{shell_word(where)}/prove-{finding.rule}" if where else f'"$PWD"/prove-{finding.rule}'
    launch, known = _launch(job, told)
    own = "" if known else "   # your own launch line"
    lines = [f"# {finding.rule}: A as it was, B with the fix and nothing else; {REPEATS} times each, in turn."]
    lines.append("# Paths in the launch line are seen from the directory of each run.")
    for key in (ENVIRONMENT, HINTS, TIMERS):
        lines += EVIDENCE[key].lines
    lines += [f"{line}   # unless it is loaded already" for line in EVIDENCE[DARSHAN].lines]
    if fix.kind == "code":
        lines += ["", "# B is a second build of the program, with this change:"]
        lines += [f"#   {line}" for line in (fix.command or "").splitlines()]
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
        *_for_b(fix, metrics),
        "      $v > stdout.txt 2> stderr.txt",
        "    )",
        "  done",
        "done",
    ]


def _launch(job: JobFacts, told: Sequence[Told]) -> tuple[str, bool]:
    """The line that starts the program, and whether it is the job's own. One that could do anything else is not
    repeated."""
    launches = [launch for t in told if isinstance(t.part, JobContext) for launch in t.part.launches]
    if launches and _HARMLESS.fullmatch(launches[0].text):
        return " ".join(plain(launches[0].text).split()), True
    words = words_of(job.command_line)
    program = " ".join(shell_word(w) for w in words) if words else "./your-program"
    size = [f"--ntasks={job.nprocs}"] if job.nprocs else []
    size += [f"--nodes={job.nnodes}"] if job.nnodes else []
    return " ".join(["srun", *size, program]), False


def _for_b(fix: Advice, metrics: Mapping[str, Metric]) -> list[str]:
    """What is done for B alone before it starts."""
    if fix.kind == "code" or fix.command is None:
        return []
    commands = [_in_fresh_directory(line, metrics) for line in fix.command.splitlines()]
    return ["      if [ $v = B ]; then", *(f"        {line}" for line in commands), "      fi"]


def _in_fresh_directory(line: str, metrics: Mapping[str, Metric]) -> str:
    """An `lfs setstripe` of the advice, for the variant's own directory and with the rest of the layout as it was.
    Other commands as they are."""
    words = line.split()
    if words[:2] != ["lfs", "setstripe"]:
        return line
    options = []
    rest = iter(words[2:])
    for word in rest:
        if not word.startswith("-"):
            break
        options += [word, next(rest, "")]
    count, size = metrics["file.stripe_count"].value, metrics["file.stripe_size"].value
    if "-c" not in options and isinstance(count, int):
        options += ["-c", str(count)]
    if "-S" not in options and isinstance(size, int | float):
        options += ["-S", str(int(size))]
    return " ".join(["lfs", "setstripe", *options, "."])


def _layout_of_a(fix: Advice, metrics: Mapping[str, Metric]) -> list[str]:
    """The striping that the job's files had, where the fix is another: a fresh directory may have a third."""
    count, size = metrics["file.stripe_count"].value, metrics["file.stripe_size"].value
    if fix.kind != "shell" or not (fix.command or "").startswith("lfs setstripe") or not isinstance(count, int):
        return []
    stripe = f" -S {int(size)}" if isinstance(size, int | float) else ""
    return [f"      if [ $v = A ]; then lfs setstripe -c {count}{stripe} .; fi   # as the files were"]
