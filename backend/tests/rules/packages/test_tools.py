"""Users of tools that they do not write are told what they can type, and no lines of code."""

from dataclasses import replace

import pytest

from iotriage.analysis.fitting import fit_advice
from iotriage.analysis.job_settings import JobSettings
from iotriage.rules.advice.one_rank import EACH_TO_A_FILE, LET_ONE_PRINT, PRINT_LESS, SEND_TO_A_FILE
from iotriage.rules.advice.small_files import READ_FEWER
from iotriage.rules.advice.snippets import SLEEP
from iotriage.rules.advice.tools import is_a_tool, tool_among
from iotriage.rules.core.advice import advice, in_program

CODE, WORDS, IN_WORDS = advice("Let it sleep.", SLEEP), advice("Run it again."), in_program("Keep it open.")


@pytest.mark.parametrize(
    ("program", "tool"),
    [
        ("samtools", "samtools"),
        ("bcftools", "bcftools"),
        ("blastp", "BLAST"),
        ("tblastn", "BLAST"),
        ("cc1plus", "compilers and the like"),
        ("x86_64-linux-gnu-ld.bfd", None),
        ("g++-12", "compilers and the like"),
        ("l502.exe", "Gaussian"),
        ("ncrcat", "CDO or NCO"),
        ("starccm+", "Simcenter STAR-CCM+"),
        ("star-ccm+", "Simcenter STAR-CCM+"),
        ("hhblits_omp", "HH-suite"),
        ("solver-pcmpi.exe", "Ansys CFX"),
        ("molpro.exe", "Molpro"),
        ("psi4", "Psi4"),
        ("git-remote-https", "git"),
        ("fluent_mpi.23.1.0", "Fluent"),
        ("ansys231", "Ansys Mechanical"),
        ("relion_refine_mpi", "RELION"),
        ("nhmmer", "HMMER"),
        ("ncdump", "the tools of netCDF, HDF5 and ADIOS2"),
        ("bpls.mpi", "the tools of netCDF, HDF5 and ADIOS2"),
        ("h5perf", None),
        ("hadd", "ROOT's hadd"),
        ("ridft_mpi", "TURBOMOLE"),
        ("dscf", "TURBOMOLE"),
        ("ams.exe", "the Amsterdam Modeling Suite"),
        ("qcprog.exe", "Q-Chem"),
        ("grad", None),
        ("ams", None),
        ("blaster", None),
        ("fluency", None),
        ("relion", None),
        ("standard", None),
        ("model.x", None),
        ("makeplots", None),
        ("assemble", None),
    ],
)
def test_tools_are_known_by_their_programs(program: str, tool: str | None) -> None:
    found = tool_among(["python", program])
    assert (None if found is None else found.name) == tool
    assert is_a_tool(program) == (tool is not None)


def own(program: str, *, reads: bool = False) -> JobSettings:
    return JobSettings({}, (), frozenset(), 1, None, True, reads=reads, tool=tool_among([program]))


@pytest.mark.parametrize("reads", [True, False])
def test_what_can_be_typed_stands_instead_of_all_changes_of_the_program(reads: bool) -> None:
    given = (WORDS, CODE, IN_WORDS, READ_FEWER)
    told = fit_advice(given, own("samtools", reads=reads))
    assert told[0] == WORDS
    assert len(told) == 2
    assert ("view -M -L" in told[1].text) == reads
    assert told[1].kind != "code"
    assert fit_advice((WORDS,), own("samtools")) == (WORDS,)
    assert fit_advice(given, own("model.x")) == given


def test_programs_of_the_system_are_not_told_in_words_either_what_only_their_code_can_do() -> None:
    settings = JobSettings({}, (), frozenset(), 1, None, True, system_program="cp")
    (told,) = fit_advice((IN_WORDS,), settings)
    assert "dcp" in told.text


@pytest.mark.parametrize("given", [LET_ONE_PRINT, PRINT_LESS, SEND_TO_A_FILE])
@pytest.mark.parametrize("processes", [1, 4])
def test_who_starts_what_prints_hears_of_its_output_and_of_no_other_files(given: str, processes: int) -> None:
    told = {
        name: fit_advice((in_program(given),), replace(settings, processes=processes))
        for name, settings in (
            ("ncdump", own("ncdump")),
            ("samtools", own("samtools")),
            ("grep", replace(own("grep"), system_program="grep")),
        )
    }
    several = processes > 1 and given != PRINT_LESS
    text = EACH_TO_A_FILE if several else SEND_TO_A_FILE
    assert ("srun --output=FILE.%t" in text) is several, "> FILE behind srun is one file of all"
    assert {name: len(advised) for name, advised in told.items()} == dict.fromkeys(told, 1)
    assert told["samtools"][0].text == told["grep"][0].text == text
    assert told["ncdump"][0].text.startswith(f"{text} Of the tools of netCDF, HDF5 and ADIOS2, ncdump -h")
    assert all(one.kind == "none" for advised in told.values() for one in advised)
