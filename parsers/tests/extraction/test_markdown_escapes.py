r"""Texts that were pasted as Markdown and not as code: `MPICH\_MPIIO\_STATS`, `\#SBATCH`."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from stats_text import REPOSITORY, block, read

from iotriage_parsers.evidence import BenchmarkRates, CrayPatReport, JobContext, MpiioStats
from iotriage_parsers.extraction.markdown_escapes import is_escaped

SAMPLES = REPOSITORY / "sample-logs"
CRAYPAT = (SAMPLES / "craypat" / "pat-report-one-writer" / "wave3d.pe.rpt").read_text(encoding="utf-8")
DLIO = (SAMPLES / "dlio" / "training" / "dlio-fjord.log").read_text(encoding="utf-8")
SCRIPT = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks=256\nexport MPICH_MPIIO_STATS=1\nsrun \\\n  ./a.out\n"


def by_turndown(text: str) -> str:
    r"""What makes Markdown of a page's text: https://github.com/mixmark-io/turndown has these."""
    return re.sub(r"([\\*_`\[\]])|^([#>+=-])", lambda m: "\\" + m[0], text, flags=re.MULTILINE)


def by_pandoc(text: str) -> str:
    return re.sub(r"([\\*_`\[\]#|<>~$\"'^@])", r"\\\1", text).replace("\n", "\\\n")


WRITERS = (by_turndown, by_pandoc)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("quote", ["", "> "])
def test_a_script_is_the_same(write: Callable[[str], str], quote: str) -> None:
    escaped = "".join(f"{quote}{line}\n" for line in write(SCRIPT).splitlines())
    (found,), (whole,) = read(escaped).of(JobContext), read(SCRIPT).of(JobContext)
    assert (found.nnodes, found.ntasks, found.environment) == (whole.nnodes, whole.ntasks, whole.environment)
    assert [launch.program for launch in found.launches] == ["./a.out"]
    assert any(p.message.startswith("the backslashes of Markdown removed from") for p in read(escaped).problems)


@pytest.mark.parametrize("write", WRITERS)
def test_figures_are_the_same(write: Callable[[str], str]) -> None:
    text = block("run_a/out_b.nc")
    assert read(write(text)).of(MpiioStats) == read(text).of(MpiioStats)
    assert read(write(CRAYPAT)).of(CrayPatReport)[0].io_tables == read(CRAYPAT).of(CrayPatReport)[0].io_tables
    assert read(write(DLIO)).of(BenchmarkRates)[0].rates == read(DLIO).of(BenchmarkRates)[0].rates


def test_a_text_with_hardly_a_word_that_has_an_underscore() -> None:
    text = "\\#!/bin/bash\n\\#SBATCH --nodes=2\n\\#SBATCH --ntasks=64\nexport OMP\\_PLACES=cores\nsrun ./a.out\n"
    (job,) = read(text).of(JobContext)
    assert (job.nnodes, job.ntasks, [s.name for s in job.environment]) == (2, 64, ["OMP_PLACES"])


@pytest.mark.parametrize(
    "text",
    [
        block("a_b.dat"),
        SCRIPT + "sed 's/a\\_b/c\\_d/' in_put.txt\n",
        "\\[1\\] one line in brackets\n",
        "grep 'a\\|b' file_one\n\\ls\n",
    ],
)
def test_backslashes_of_a_shell_stay(text: str) -> None:
    assert not is_escaped(text.encode())
