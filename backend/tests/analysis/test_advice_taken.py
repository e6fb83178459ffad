"""What a finding advises for the job script, once it stands there: the script is one still, starts what it started, and
nobody is advised the same again."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from budget import tries
from covering import covering_cases
from sample_documents import document_of, sources_of
from samples import Case

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage_parsers.evidence import Evidence, JobContext

OTHERWISE = re.compile(r":\?|pat_build|perftools-lite|module avail")
SET = ("export ", "lfs setstripe ", "module ")
SITES = ("archer2", "lumi", "perlmutter", "frontera")
LOGS = [case for case in covering_cases() if case.format == "darshan_log" and len(case.sources) == 1]
DRAWN = [(case, tries((SITES[n % 4], SITES[(n + 1) % 4]), SITES)) for n, case in enumerate(LOGS)]
"""Each log at two of the sites, so that lines of every kind are given, and in `make fuzz` at all."""


def script(document: CaseDocument, lines: str = "") -> str:
    program = document.job.executable or "./a"
    return f"#!/bin/bash\n#SBATCH --time=60\n{lines}srun --ntasks={document.job.nprocs or 1} {program}\n"


def for_the_script(document: CaseDocument) -> Iterator[str]:
    """Lines that hold as they stand: none waits for a name, none is another start of the program."""
    given = (one for f in document.findings if f.verdict == "triggered" for one in f.advice if one.withheld is None)
    for command in (one.command for one in given if one.command is not None):
        # What is loaded to build the program, or to look around, is none of the script.
        if command.startswith(SET) and not OTHERWISE.search(command):
            yield command


def launches(path: Path) -> list[str | None]:
    (given,) = sources_of((path,))
    assert isinstance(given.outcome, Evidence)
    (job,) = given.outcome.of(JobContext)
    return [launch.program for launch in job.launches]


def test_the_samples_are_advised_lines_of_each_kind() -> None:
    documents = (diagnose(sources_of(case.sources), site) for case, sites in DRAWN for site in sites)
    missing = set(SET)
    for line in (line for document in documents for line in for_the_script(document)):
        missing -= {begins for begins in missing if line.startswith(begins)}
        if not missing:
            break
    assert missing == set()


@pytest.mark.fuzz
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash reads the script")
@pytest.mark.parametrize(("case", "sites"), DRAWN, ids=[str(case) for case in LOGS])
def test_advice_that_is_taken_leaves_a_script_that_runs_and_is_not_given_again(
    case: Case, sites: tuple[str, ...], tmp_path: Path
) -> None:
    alone = document_of(case.sources)

    def beside(lines: str, name: str) -> Path:
        own = tmp_path / name
        own.write_text(script(alone, lines), encoding="utf-8")
        return own

    before = beside("", "as-it-was.sh")
    for site in sites:
        document = diagnose(sources_of((*case.sources, before)), site)
        for number, line in enumerate(dict.fromkeys(for_the_script(document))):
            after = beside(f"{line}\n", f"{site}-{number}.sh")
            subprocess.run(["bash", "-n", str(after)], check=True, timeout=60)
            assert launches(after) == launches(before)
            assert line not in for_the_script(diagnose(sources_of((*case.sources, after)), site)), (site, line)
