"""What advice asks for can be pasted as it stands and does no harm: over every sample, and the logs and cases of others
where they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from every_job import every_job
from sample_documents import document_of

from iotriage.analysis.document import CaseDocument, Finding
from iotriage.rules.core.action import Action, AskFor, EditCode, Export, RunCommand, SetHint, SetStripe
from iotriage.rules.core.advice import Advice
from iotriage.rules.core.commands import file_hints, line
from iotriage.sites import all_sites, kind_on
from iotriage_parsers.evidence import JobContext

pytestmark = pytest.mark.fuzz
LOWERS = ("fpp-striped", "overstriped-small", "overstriped-shared", "metadata-bound", "fpp-many-files")
"""Rules whose files want one stripe, or fewer than they have."""


def given(document: CaseDocument) -> Iterator[tuple[Finding, Advice, Action]]:
    """Every action of advice that a triggered finding shows."""
    for finding in document.findings:
        if finding.verdict == "triggered":
            for one in finding.advice:
                yield from ((finding, one, action) for action in one.actions if one.withheld is None)


def number(document: CaseDocument, finding: Finding, metric: str) -> float | None:
    """Of the finding's scope, as its rule saw it."""
    group = next((g for g in document.groups if g.id == finding.scope.id), None)
    found = (group.metrics.get(metric) if group is not None else None) or document.metrics.get(metric)
    return float(found.value) if found is not None and isinstance(found.value, int | float) else None


@every_job
def test_a_striping_is_whole_and_lowers_no_good_one(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    for finding, one, action in given(document):
        if not isinstance(action, SetStripe):
            continue
        assert {"-c", "-S"} <= set(line(action).split())
        assert (one.command or "").count("lfs setstripe") == (one.command or "").count(" -c ")
        has = number(document, finding, "file.stripe_count")
        if has is not None and action.count > 0 and finding.rule not in LOWERS:
            assert action.count >= has, (finding.rule, line(action))


@every_job
def test_nothing_is_set_that_the_job_has_nor_twice_otherwise(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    scripts = [t.part for t in document.texts if isinstance(t.part, JobContext)]
    has = {e.name: e.value for script in scripts for e in script.environment}
    first: dict[str, str] = {}
    for finding, one, action in given(document):
        if isinstance(action, Export):
            assert has.get(action.name) != action.value, (finding.rule, line(action))
            assert first.setdefault(action.name, action.value) == action.value, (finding.rule, line(action))
        if isinstance(action, SetHint) and action.through is None and one == finding.advice[0]:
            for hint in file_hints(action):
                assert first.setdefault(hint.name, hint.text) == hint.text, (finding.rule, hint.text)
        exports = [text for text in (one.command or "").splitlines() if text.startswith("export MPICH_MPIIO_HINTS")]
        assert len(exports) <= 1, (finding.rule, exports)


@every_job
def test_what_the_job_has_not_is_not_spoken_to(sources: tuple[Path, ...]) -> None:
    """No `lfs` without Lustre, no MPI for one process, no variable of Cray's library for another."""
    document = document_of(sources)
    site = all_sites()[document.site.id]
    library = document.metrics["mpi.library"].value or site.mpi_library
    for finding, _, action in given(document):
        said = (finding.rule, line(action))
        group = next((g for g in document.groups if g.id == finding.scope.id), None)
        kind = (
            kind_on(site.file_system_of(group.largest_file), (), group.largest_file) if group is not None else "unknown"
        )
        if kind not in ("lustre", "unknown"):
            assert not calls_lfs(action), said
        if document.job.nprocs == 1:
            assert not isinstance(action, SetHint), said
            assert not isinstance(action, EditCode) or "MPI_" not in action.c, said
        if library not in ("cray-mpich", None):
            assert not _of_cray(action), said


@every_job
def test_what_would_settle_a_question_is_what_such_a_run_leaves_behind(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    library = document.metrics["mpi.library"].value or all_sites()[document.site.id].mpi_library
    asked = {key for absence in document.absences for key in absence.settled_by}
    if document.job.nprocs == 1 or library not in ("cray-mpich", None):
        assert {key for key in asked if key.startswith("MPICH_")} == set()
        assert not any("MPICH_" in text for text in document.launch.showing)


@every_job
def test_the_program_is_launched_as_its_site_does_with_its_own_arguments(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    launcher = all_sites()[document.site.id].launcher
    words = document.launch.text.split()
    if launcher is not None and not document.launch.own and document.job.nprocs != 1:
        assert words[0] == launcher
    if document.job.command_line and not document.launch.own:
        options = [w for w in document.job.command_line.split()[1:] if w.startswith("-") and w.isascii()]
        assert [w for w in options if f"./{w}" in words] == []


@every_job
def test_an_experiment_changes_one_thing_and_says_what_it_costs(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    for experiment in document.next_run.experiments if document.next_run else ():
        assert experiment.cost == document.launch.cost
        assert (experiment.cost is None) == (document.job.runtime_s is None)
        script = experiment.script
        assert not any(looking in script for looking in ("lfs find", "lfs getstripe"))
        in_b = script.partition("if [ $v = B ]; then")[2].partition("\n      fi")[0]
        assert in_b.count("lfs setstripe") <= 1
        assert experiment.changes_program or in_b.strip()


def calls_lfs(action: Action) -> bool:
    return isinstance(action, SetStripe) or (isinstance(action, RunCommand) and action.words[0] == "lfs")


def _of_cray(action: Action) -> bool:
    if isinstance(action, SetHint):
        return action.through is None
    return "MPICH_" in line(action) if isinstance(action, Export | AskFor) else False
