"""What the command line of a log has set already is advised to nobody."""

import pytest

from iotriage.analysis.fitting import fit_advice
from iotriage.analysis.job_settings import JobSettings
from iotriage.rules.advice.packages import changes_against, package_among, settings_of
from iotriage.rules.advice.snippets import SLEEP
from iotriage.rules.advice.tools import tool_among
from iotriage.rules.core.advice import advice

CODE = advice("Let it sleep.", SLEEP)


def told_of_tool(program: str, *commands: str) -> str:
    settings = JobSettings({}, (), frozenset(), 1, None, True, tool=tool_among([program], commands))
    return fit_advice((CODE,), settings)[0].text


@pytest.mark.parametrize(
    ("command", "set_already", "left"),
    [
        ("blastn -db nt -outfmt 6 -out h.tsv", "-outfmt 6", "-max_target_seqs"),
        ("blastn -db nt -outfmt '6 qseqid sseqid'", "-outfmt 6", "-max_target_seqs"),
        ("blastn -outfmt 7 -max_target_seqs 5", "-max_target_seqs", "-out on a disk of the node"),
        ("hmmsearch --noali --tblout=t.txt p.hmm s.fa", "--noali", "-o on a disk of the node"),
        ("bcftools view -O u in.bcf", "-Ou", "-T of sort"),
    ],
)
def test_what_the_command_line_has_already_is_not_told(command: str, set_already: str, left: str) -> None:
    program = command.partition(" ")[0]
    assert set_already in told_of_tool(program)
    assert set_already not in told_of_tool(program, command)
    assert left in told_of_tool(program, command)
    assert set_already in told_of_tool(program, command, program), "another start of it has it not"


@pytest.mark.parametrize("command", ["blastn -outfmt 0", "blastn -outfmt 66", "blastn -my-outfmt 6", "blastn -outfmt"])
def test_another_value_or_another_option_sets_nothing(command: str) -> None:
    assert tool_among(["blastn"], [command]) == tool_among(["blastn"])


def told_of_package(program: str, *commands: str) -> str:
    found = package_among([program], (), commands)
    settings = None if found is None else settings_of(found, changes_against("many-small-files"))
    return "" if settings is None else settings.text


@pytest.mark.parametrize(
    ("program", "typed", "said"),
    [
        ("simpleFoam", "-parallel -fileHandler collated", "-fileHandler"),
        ("simpleFoam", "-fileHandler hostCollated", "-fileHandler"),
        ("ADRSolver", "--io-format Hdf5 s.xml", "--io-format"),
    ],
)
def test_what_a_package_was_started_with_is_not_advised(program: str, typed: str, said: str) -> None:
    assert said in told_of_package(program, f"/sw/{program} -parallel")
    assert said not in told_of_package(program, f"/sw/{program} {typed}")
    assert told_of_package(program, f"/sw/{program} {typed}")


@pytest.mark.parametrize(
    ("program", "typed", "said"),
    [
        ("simpleFoam", "-fileHandler uncollated", "-fileHandler"),
        ("simpleFoam", "-parallel -fileHandler masterUncollated", "-fileHandler"),
        ("ADRSolver", "--io-format Xml s.xml", "--io-format"),
        ("ADRSolver", "--my-i Hdf5.xml", "--io-format"),
        ("pismr", "-i in.nc -o_size big", "-o_size"),
    ],
)
def test_a_package_that_was_started_with_another_value_is_advised(program: str, typed: str, said: str) -> None:
    assert said in told_of_package(program, f"/sw/{program} {typed}")


@pytest.mark.parametrize(
    ("typed", "is_told"),
    [
        ("-o_format pnetcdf", False),
        ("-o_format netcdf4_parallel", False),
        ("-o_format pio_netcdf4p", False),
        ("-o_format netcdf3", True),
        ("-o_size big", True),
    ],
)
def test_one_writer_of_pism_is_what_its_format_makes(typed: str, *, is_told: bool) -> None:
    found = package_among(["pismr"], (), [f"/sw/pismr -i in.nc {typed}"])
    assert found is not None
    settings = settings_of(found, changes_against("serial-io"))
    assert settings is not None
    assert ("-o_format" in settings.text) is is_told
    assert "-o_size" in settings.text
