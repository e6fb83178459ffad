"""Users of packages are told what they can set, before lines of code that few of them write."""

import subprocess
from dataclasses import replace

import pytest
from declared import context

from iotriage.analysis.fitting import fit_advice
from iotriage.analysis.job_settings import JobSettings
from iotriage.metrics.tables.settings import patterns_of
from iotriage.rules import all_rules
from iotriage.rules.advice.packages import PACKAGES, package_among, settings_of
from iotriage.rules.advice.packages.package import Package
from iotriage.rules.advice.small_files import READ_FEWER
from iotriage.rules.advice.snippets import SLEEP
from iotriage.rules.core.action import Export, HintsFile, MpiioHint, SetHint
from iotriage.rules.core.advice import advice, in_program
from iotriage.rules.core.documents import DOCUMENTS

CODE, WORDS, IN_WORDS = advice("Let it sleep.", SLEEP), advice("Run it again."), in_program("Write fewer files.")


@pytest.mark.parametrize(
    ("program", "package"),
    [
        ("vasp_std", "VASP"),
        ("vasp", "VASP"),
        ("pw.x", "Quantum ESPRESSO"),
        ("lmp_mpi", "LAMMPS"),
        ("gmx_mpi", "GROMACS"),
        ("simpleFoam", "OpenFOAM"),
        ("decomposePar", "OpenFOAM"),
        ("abinit", "ABINIT"),
        ("wrf.exe", "WRF"),
        ("e3sm.exe", "CESM or E3SM"),
        ("namd2", "NAMD"),
        ("icon", "ICON"),
        ("MOM6", "MOM6"),
        ("mitgcmuv", "MITgcm"),
        ("cs_solver", "code_saturne"),
        ("flash4", "FLASH"),
        ("picongpu", "PIConGPU"),
        ("Gadget4", "GADGET or AREPO"),
        ("P-Gadget3", "GADGET or AREPO"),
        ("swift_mpi", "SWIFT"),
        ("ramses3d", "RAMSES"),
        ("ph.x", "ph.x of Quantum ESPRESSO"),
        ("castep.mpi", "CASTEP"),
        ("atmosphere_model", "MPAS"),
        ("ufs_model", "the models of UFS"),
        ("romsM", "ROMS"),
        ("oceanM", "ROMS"),
        ("regcmMPICLM45", "RegCM"),
        ("padcirc", "ADCIRC"),
        ("ww3_shel", "WAVEWATCH III"),
        ("DLPOLY.Z", "DL_POLY"),
        ("nek5000", "Nek5000"),
        ("IncNavierStokesSolver", "Nektar++"),
        ("aspect-release", "ASPECT"),
        ("xspecfem3D", "SPECFEM3D"),
        ("SeisSol_Release_dskx_4_elastic", "SeisSol"),
        ("Castro3d.gnu.MPI.ex", "Castro, Nyx and others of AMReX"),
        ("warpx.3d.MPI.OMP.DP.OPMD", "WarpX"),
        ("enzo.exe", "Enzo"),
        ("epoch3d", "EPOCH"),
        ("cactus_sim", "a program of the Einstein Toolkit"),
        ("oceans", None),
        ("castro", "Castro, Nyx and others of AMReX"),
        ("main3d.gnu.MPI.ex", None),
        ("enzogen", None),
        ("pp.x", None),
        ("flash", None),
        ("model.x", None),
        ("vaspview2x.py", None),
        ("wrfpost", None),
    ],
)
def test_packages_are_known_by_their_programs(program: str, package: str | None) -> None:
    found = package_among(("python", program))
    assert (None if found is None else found.name) == package


def own(program: str, *, reads: bool = False) -> JobSettings:
    return JobSettings({}, (), frozenset(), 64, None, True, package=package_among([program]), reads=reads)


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
    fitted = replace(own("wrf.exe"), library=library)
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
    (only,) = fit_advice((asked,), replace(own("wrf.exe"), library=library))
    assert ("for all files that MPI-IO opens" in (only.lead or "")) is said


def test_the_text_of_hints_is_what_romio_reads(tmp_path) -> None:
    (only,) = fit_advice((IN_PROGRAM,), own("wrf.exe"))
    script = f'{only.command}\ncat "$ROMIO_HINTS"'
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "romio_cb_write enable\ncb_config_list *:1\n"


def test_a_list_of_nodes_is_one_value_of_crays_variable() -> None:
    (only,) = fit_advice((IN_PROGRAM,), replace(own("wrf.exe"), library="cray-mpich"))
    assert only.command is not None
    written = only.command.partition('"')[2].rstrip('"')
    assert written == "*.nc:romio_cb_write=enable,*.nc:cb_config_list=#*:1#"
    assert [MpiioHint(h.key, h.value) for h in patterns_of(written)] == list(HINTS)


@pytest.mark.parametrize("library", ["openmpi", "intel-mpi", None])
def test_hints_that_the_job_has_in_a_text_are_not_lost(library) -> None:
    has = replace(own("wrf.exe"), library=library, environment={"ROMIO_HINTS": "/home/u/hints"})
    (only,) = fit_advice((IN_PROGRAM,), has)
    assert not any(isinstance(action, HintsFile) for action in only.actions)
    assert only.command == ('export OMPI_MCA_io="^ompio"' if library == "openmpi" else None)
    assert "each in a line of its own, romio_cb_write enable, cb_config_list *:1." in only.text


def test_what_can_be_set_stands_before_lines_of_code() -> None:
    package = package_among(["vasp_std"])
    assert package is not None
    assert fit_advice((WORDS, CODE), own("vasp_std")) == (WORDS, settings_of(package), CODE)
    assert fit_advice((WORDS,), own("vasp_std")) == (WORDS,)
    assert fit_advice((WORDS, CODE), own("model.x")) == (WORDS, CODE)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/p/processor17/0.5/U", "-fileHandler collated"),
        ("/p/processors1024/0.5/U", "FOAM_IORANKS"),
        ("/p/processors1024_0-127/0.5/U", "FOAM_IORANKS"),
    ],
)
def test_what_a_package_has_set_already_is_not_advised(path: str, said: str) -> None:
    foam = package_among(["simpleFoam"], ["/p/system/controlDict", path])
    assert foam is not None
    told = settings_of(foam)
    assert told is not None
    assert said in told.text
    assert ("collated already" in told.text) is (said == "FOAM_IORANKS")


@pytest.mark.parametrize(("program", "told"), [("lmp_mpi", False), ("vasp_std", True), ("simpleFoam", True)])
def test_who_reads_is_not_told_what_to_write(program: str, told: bool) -> None:
    assert (len(fit_advice((CODE,), own(program, reads=True))) == 2) == told
    written = fit_advice((CODE,), own(program))
    assert len(written) == 2


def test_what_is_asked_of_a_program_in_words_is_asked_of_its_code() -> None:
    foam = package_among(["simpleFoam"])
    assert foam is not None
    assert fit_advice((IN_WORDS,), own("simpleFoam")) == (settings_of(foam), IN_WORDS)


def test_of_fewer_files_a_package_is_told_by_what_sets_their_number() -> None:
    foam = package_among(["simpleFoam"])
    assert foam is not None
    assert fit_advice((READ_FEWER,), own("simpleFoam")) == (settings_of(foam), READ_FEWER)
    assert fit_advice((READ_FEWER,), own("vasp_std")) == (READ_FEWER,)


@pytest.mark.parametrize(
    ("program", "rule", "said", "not_said"),
    [
        ("simpleFoam", "metadata-bound", "-fileHandler collated", "FOAM_IORANKS"),
        ("simpleFoam", "small-io", "writeInterval", "-fileHandler"),
        ("nemo.exe", "many-small-files", "one_file", "using_server"),
        ("nemo.exe", "serial-io", "using_server", "one_file"),
        ("gmx_mpi", "sync-heavy", "-cpt", "collectively"),
        ("SeisSol_Release", "misaligned-io", "XDMFWRITER_BLOCK_SIZE", "OUTPUT"),
        ("lmp_mpi", "serial-io", "nfile", "-cpt"),
    ],
)
def test_what_is_said_is_what_changes_that_finding(program: str, rule: str, said: str, not_said: str) -> None:
    (told, code) = fit_advice((CODE,), own(program), rule=rule)
    assert code == CODE
    assert said in told.text
    assert not_said not in told.text


@pytest.mark.parametrize(("program", "rule"), [("SeisSol_Release", "metadata-bound"), ("padcirc", "slow-opens")])
def test_where_no_setting_changes_it_nothing_is_said(program: str, rule: str) -> None:
    assert fit_advice((CODE,), own(program), rule=rule) == (CODE,)


@pytest.mark.parametrize(
    ("path", "said", "not_said"),
    [
        ("/p/run/wrfout_d01_2020-01-01_00:00:00", "io_form_history = 11", "with 102 for"),
        ("/p/run/wrfout_d01_2020-01-01_00:00:00_0017", "with 102 for", "io_form_history = 11"),
        ("/p/run/wrfrst_d02_2020-01-01_00:00:00_0123", "with 102 for", "io_form_history = 11"),
    ],
)
def test_files_show_what_is_set(path: str, said: str, not_said: str) -> None:
    wrf = package_among(["wrf.exe"], [path])
    told = None if wrf is None else settings_of(wrf)
    assert told is not None
    assert said in told.text
    assert not_said not in told.text


@pytest.mark.parametrize("found", PACKAGES, ids=lambda found: found.name)
def test_every_package_is_told_something_and_names_what_was_read(found: Package) -> None:
    everything = [told.text for reads in (True, False) if (told := settings_of(found, reads=reads)) is not None]
    assert everything
    assert all(";." not in text and ".." not in text and text.endswith(".") for text in everything)
    assert found.manual is None or (found.manual in DOCUMENTS and found.section)


@pytest.mark.parametrize(
    ("rule", "values", "said"),
    [
        ("small-io", {"io.bytes_read": 10, "io.bytes_written": 5}, "io_form_input"),
        ("small-io", {"io.bytes_read": 5, "io.bytes_written": 10}, "io_form_history"),
        ("redundant-reads", {"io.bytes_read": 5, "io.bytes_written": 10}, "io_form_input"),
        ("small-io", {}, "io_form_history"),
    ],
)
def test_what_is_said_is_of_the_findings_own_direction(rule: str, values: dict[str, int], said: str) -> None:
    (told, _) = fit_advice((CODE,), own("wrf.exe"), context(values), rule)
    assert said in told.text


@pytest.mark.parametrize("rule", ["few-writers", "ranks-in-turn"])
@pytest.mark.parametrize(("program", "others"), [("gmx_mpi", False), ("ramses3d", False), ("model.x", True)])
def test_of_other_programs_nothing_is_said_to_users_of_one_that_is_known(rule: str, program: str, others: bool) -> None:
    job = {"job.program": program, "job.nprocs": 64, "io.bytes_written": 2**40, "io.bytes_read": 0}
    said = " ".join(one.text for one in all_rules()[rule].advise(context(job)))
    assert ("AMReX" in said) is others
