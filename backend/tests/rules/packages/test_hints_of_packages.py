"""Hints reach a program whose users write none of its code: by Cray's variable, or in a text that ROMIO reads."""

import subprocess
from dataclasses import replace

import pytest

from iotriage.analysis.fitting import fit_advice
from iotriage.analysis.job_settings import JobSettings
from iotriage.metrics.tables.settings import patterns_of
from iotriage.rules.advice.packages import package_among
from iotriage.rules.core.action import Export, HintsFile, MpiioHint, SetHint
from iotriage.rules.core.advice import advice

WRF = JobSettings({}, (), frozenset(), 64, None, True, package=package_among(["wrf.exe"]))
HINTS = (MpiioHint("romio_cb_write", "enable"), MpiioHint("cb_config_list", "*:1"))
IN_PROGRAM = advice("Do it.", SetHint("*.nc", HINTS, "netCDF-4"), lead="When the file is opened:")


@pytest.mark.parametrize(
    ("library", "actions"),
    [
        ("openmpi", (Export("OMPI_MCA_io", "^ompio"), HintsFile(HINTS))),
        ("intel-mpi", (HintsFile(HINTS),)),
        (None, (HintsFile(HINTS),)),
        ("cray-mpich", (SetHint("*.nc", HINTS),)),
    ],
)
def test_hints_reach_a_program_that_its_users_do_not_write(library, actions) -> None:
    fitted = replace(WRF, library=library)
    (only,) = fit_advice((IN_PROGRAM,), fitted)
    assert only.actions == actions
    assert only.kind == "job-script"
    assert only.lead is not None
    assert "job script" in only.lead
    (code, *_) = fit_advice((IN_PROGRAM,), replace(fitted, package=None))
    assert code == IN_PROGRAM


@pytest.mark.parametrize("library", ["openmpi", "intel-mpi", None])
@pytest.mark.parametrize(("pattern", "said"), [("*", False), ("*.nc", True), ("*out-*.h5", True)])
def test_that_the_text_is_for_all_files_is_said_where_the_hints_are_for_some(library, pattern, said) -> None:
    asked = advice("Do it.", SetHint(pattern, HINTS, "netCDF-4"), lead="When the file is opened:")
    (only,) = fit_advice((asked,), replace(WRF, library=library))
    assert ("for all files that MPI-IO opens" in (only.lead or "")) is said


def test_the_text_of_hints_is_what_romio_reads(tmp_path) -> None:
    (only,) = fit_advice((IN_PROGRAM,), WRF)
    script = f'{only.command}\ncat "$ROMIO_HINTS"'
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "romio_cb_write enable\ncb_config_list *:1\n"


def test_a_list_of_nodes_is_one_value_of_crays_variable() -> None:
    (only,) = fit_advice((IN_PROGRAM,), replace(WRF, library="cray-mpich"))
    assert only.command is not None
    written = only.command.partition('"')[2].rstrip('"')
    assert written == "*.nc:romio_cb_write=enable:cb_config_list=#*:1#"
    assert [MpiioHint(h.key, h.value) for h in patterns_of(written)] == list(HINTS)


@pytest.mark.parametrize("library", ["openmpi", "intel-mpi", None])
def test_hints_that_the_job_has_in_a_text_are_not_lost(library) -> None:
    has = replace(WRF, library=library, environment={"ROMIO_HINTS": "/home/u/hints"})
    (only,) = fit_advice((IN_PROGRAM,), has)
    assert not any(isinstance(action, HintsFile) for action in only.actions)
    assert only.command == ('export OMPI_MCA_io="^ompio"' if library == "openmpi" else None)
    assert "each in a line of its own, romio_cb_write enable, cb_config_list *:1." in only.text
