"""Users of packages are told what they can set, before lines of code that few of them write."""

import pytest
from declared import context

from iotriage.analysis.fitting import fit_advice
from iotriage.analysis.job_settings import JobSettings
from iotriage.rules import all_rules
from iotriage.rules.advice.one_rank import OF_PRINTS, SEND_TO_A_FILE
from iotriage.rules.advice.packages import changes_against, package_among, settings_of
from iotriage.rules.advice.packages.package import Package
from iotriage.rules.advice.scratch import keep_scratch_in_memory
from iotriage.rules.advice.small_files import READ_FEWER
from iotriage.rules.advice.snippets import NO_HOLES, SLEEP
from iotriage.rules.core.advice import Advice, advice, in_program

CODE, WORDS, IN_WORDS = advice("Pass no holes.", NO_HOLES), advice("Run it again."), in_program("Write fewer files.")


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
        ("pismr", "PISM"),
        ("pism", "PISM"),
        ("epoch3d", "EPOCH"),
        ("cactus_sim", "a program of the Einstein Toolkit"),
        ("su3_rhmd_hisq", "MILC"),
        ("su3_rmd", "MILC"),
        ("ks_spectrum_hisq", "MILC"),
        ("chroma", "Chroma"),
        ("pmemd.MPI", "AMBER"),
        ("siesta", "Siesta"),
        ("bison-opt", "MOOSE"),
        ("su3_heatbath_tool", None),
        ("chromadb", None),
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


TEMPORARIES = {
    "io.pattern": "file-per-process",
    "file.read_back_fraction": 1.0,
    "file.read_first": "no",
    "io.bytes_read": 10,
    "io.bytes_written": 5,
}


def known(program: str, *paths: str) -> Package:
    found = package_among([program], paths)
    assert found is not None
    return found


def told(program: str, rule: str | None, *, reads: bool = False) -> str:
    """What is said of the package before lines of code; "" where nothing is."""
    *before, code = fit_advice((CODE,), own(program, reads=reads), rule=rule)
    assert code == CODE
    return before[0].text if before else ""


def test_what_can_be_set_stands_before_lines_of_code() -> None:
    said = settings_of(known("vasp_std"), changes_against(None))
    assert fit_advice((WORDS, CODE), own("vasp_std")) == (WORDS, said, CODE)
    assert fit_advice((WORDS,), own("vasp_std")) == (WORDS,)
    assert fit_advice((WORDS, CODE), own("model.x")) == (WORDS, CODE)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/p/processor17/0.5/U", "-fileHandler collated"),
        ("/p/processors1024/0.5/U", "writeInterval"),
        ("/p/processors1024_0-127/0.5/U", "writeInterval"),
    ],
)
@pytest.mark.parametrize("reads", [False, True])
def test_what_a_package_has_set_already_is_not_advised(path: str, said: str, reads: bool) -> None:
    foam = known("simpleFoam", "/p/system/controlDict", path)
    of_files = settings_of(foam, changes_against("many-small-files"))
    assert of_files is not None
    assert of_files.text.startswith(f"In OpenFOAM, whose code few users change, {said}")
    of_ranks = settings_of(foam, changes_against("serial-io"), reads=reads)
    text = "" if of_ranks is None else of_ranks.text
    assert ("collated already, and FOAM_IORANKS" in text) == ("processors" in path)


@pytest.mark.parametrize(
    ("program", "rule", "is_told"),
    [
        ("lmp_mpi", "serial-io", False),
        ("vasp_std", "serial-io", True),
        ("vasp_std", None, True),
        ("wrf.exe", "serial-io", True),
        ("simpleFoam", "many-small-files", True),
        ("simpleFoam", "small-io", False),
        ("mitgcmuv", "many-small-files", True),
        ("swift_mpi", "many-small-files", False),
        ("nwchem", "serial-io", False),
        ("pw.x", "small-io", False),
    ],
)
def test_who_reads_is_not_told_what_to_write(program: str, rule: str | None, is_told: bool) -> None:
    assert bool(told(program, rule, reads=True)) == is_told
    assert told(program, rule)


def test_of_one_rank_s_files_those_count_and_not_larger_ones_of_others() -> None:
    """ICON's restart is the largest file, and its grid is what one rank reads: it is no restart."""
    reads = {"io.bytes_read": 5, "io.bytes_written": 1}
    of_grid = context(reads | {"balance.alone_file": "grid_R02B10.nc"}, program="icon", file="/p/exp_restart_atm.nc")
    assert fit_advice((CODE,), own("icon"), of_grid, "serial-io") == (CODE,)
    of_restart = context(reads, program="icon", file="/p/exp_restart_atm.nc")
    assert "restart_write_mode" in fit_advice((CODE,), own("icon"), of_restart, "serial-io")[0].text


def test_of_metadata_that_is_read_no_output_is_told_of_however_much_is_written() -> None:
    values: dict[str, float | str] = {"io.bytes_read": 1, "io.bytes_written": 50, "hdf5.metadata_way": "reads"}
    assert fit_advice((CODE,), own("castro"), context(values), "hdf5-independent-metadata") == (CODE,)
    of_writes = context(values | {"hdf5.metadata_way": "writes"})
    assert "amr.plot_int" in fit_advice((CODE,), own("castro"), of_writes, "hdf5-independent-metadata")[0].text


@pytest.mark.parametrize("program", ["vasp_std", "wrf.exe"])
def test_of_reads_something_else_is_told_than_of_writes(program: str) -> None:
    assert told(program, "serial-io", reads=True) != told(program, "serial-io")


def test_what_is_asked_of_a_program_in_words_is_asked_of_its_code() -> None:
    said = settings_of(known("simpleFoam"), changes_against(None))
    assert fit_advice((IN_WORDS,), own("simpleFoam")) == (said, IN_WORDS)


@pytest.mark.parametrize("reads", [False, True])
def test_of_fewer_files_a_package_is_told_by_what_sets_their_number(reads: bool) -> None:
    (said, fewer) = fit_advice((READ_FEWER,), own("simpleFoam", reads=reads), rule="many-small-files")
    assert said.text.startswith("In OpenFOAM, whose code few users change, -fileHandler collated")
    assert "writeInterval" in said.text
    assert fewer == READ_FEWER
    for program, rule in (("vasp_std", "many-small-files"), ("simpleFoam", "small-io")):
        assert fit_advice((READ_FEWER,), own(program, reads=reads), rule=rule) == (READ_FEWER,)


@pytest.mark.parametrize(
    ("program", "rule", "said", "unsaid"),
    [
        ("swift_mpi", "serial-io", "distributed: 1", "distributed: 0"),
        ("swift_mpi", "many-small-files", "distributed: 0", "distributed: 1 in"),
        ("swift_mpi", "crowded-ost", "delta_time", "distributed"),
        ("lmp_mpi", "few-writers", "each rank a file of its own", "all steps are in one"),
        ("lmp_mpi", "fpp-many-files", "all steps are in one", "each rank a file of its own"),
        ("mitgcmuv", "straggler-rank", "without it each tile", "instead of one of each tile"),
        ("mitgcmuv", "slow-opens", "instead of one of each tile", "without it"),
        ("wrf.exe", "few-nodes", "io_form_history = 11", "102"),
        ("wrf.exe", "many-small-files", "frames_per_outfile", "nio_tasks_per_group"),
        ("wrf.exe", "jitter", "history_interval", "io_form"),
        ("MOM6", "ranks-in-turn", "is one rank for all", "one file of all"),
        ("MOM6", "metadata-bound", "one file of all", "one rank for all"),
        ("Gadget4", "serial-io", "NumFilesWrittenInParallel", "no such setting"),
        ("Gadget4", "many-small-files", "NumFilesPerSnapshot", "NumFilesWrittenInParallel"),
        ("abinit", "serial-io", "iomode 1", "no such setting"),
        ("icon", "too-many-files-per-directory", "file_interval", "num_io_procs"),
        ("e3sm.exe", "many-small-files", "mfilt", "PIO_NUMTASKS"),
        ("e3sm.exe", "collective-disabled", "PIO_NUMTASKS", "mfilt"),
        ("atmosphere_model", "many-small-files", "filename_interval", "config_pio"),
        ("xspecfem3D", "many-small-files", "SAVE_ALL_SEISMOS_IN_ONE_FILE", "no such setting"),
        ("flash4", "independent-shared", "useCollectiveHDF5", "+parallelIO"),
        ("flash4", "single-aggregator", "+parallelIO", "useCollectiveHDF5"),
        ("Castro3d.gnu.MPI.ex", "many-small-files", "amr.plot_nfiles", "no such setting"),
        ("nemo.exe", "collective-overhead", "using_server", "one_file"),
    ],
)
def test_of_a_finding_a_package_is_told_what_settles_that(program: str, rule: str, said: str, unsaid: str) -> None:
    text = told(program, rule)
    assert said in text
    assert unsaid not in text


@pytest.mark.parametrize("reads", [False, True])
def test_who_asks_again_and_again_is_told_of_no_output(reads: bool) -> None:
    asks = advice("Ask less often.", SLEEP)
    assert fit_advice((asks,), own("vasp_std", reads=reads), rule="metadata-bound") == (asks,)
    (said, again) = fit_advice((asks,), own("simpleFoam", reads=reads), rule="metadata-bound")
    assert "runTimeModifiable" in said.text
    assert "writeInterval" not in said.text
    assert again == asks


@pytest.mark.parametrize("text", OF_PRINTS)
@pytest.mark.parametrize(
    ("program", "said"),
    [("wrf.exe", None), ("pw.x", None), ("gmx_mpi", None), ("lmp_mpi", "thermo"), ("namd3", "outputEnergies")],
)
def test_who_prints_much_is_told_of_no_other_output(program: str, said: str | None, text: str) -> None:
    prints = in_program(text)
    *before, last = fit_advice((prints,), own(program), rule="stdio-heavy")
    assert last == prints
    assert [said is not None and said in one.text for one in before] == ([] if said is None else [True])
    assert not any("Freq" in one.text or "dump" in one.text for one in before)


@pytest.mark.parametrize(
    ("program", "said"),
    [("nwchem", "semidirect with memsize"), ("pw.x", "disk_io = 'low'"), ("ph.x", "reduce_io"), ("vasp_std", None)],
)
def test_what_the_run_wrote_itself_is_kept_in_memory(program: str, said: str | None) -> None:
    found = context(TEMPORARIES, program=program)
    *before, code = fit_advice((CODE,), own(program), found, "small-io")
    assert code == CODE
    assert [said is not None and said in one.text for one in before] == ([] if said is None else [True])
    keep: Advice = keep_scratch_in_memory(found)
    assert (said or "many programs have a setting") in keep.text
    assert fit_advice((keep, CODE), own(program), found, "redundant-reads") == (keep, CODE)


@pytest.mark.parametrize(("program", "said"), [("simpleFoam", "-fileHandler collated"), ("mitgcmuv", "useSingleCpuIO")])
def test_many_files_that_the_run_wrote_itself_are_made_fewer(program: str, said: str) -> None:
    (settings, fewer) = fit_advice((READ_FEWER,), own(program), context(TEMPORARIES), "many-small-files")
    assert said in settings.text
    assert fewer == READ_FEWER


@pytest.mark.parametrize(
    ("pattern", "is_told"), [("shared-independent", True), ("shared-collective", True), ("file-per-process", False)]
)
def test_files_of_one_rank_are_not_written_collectively(pattern: str, is_told: bool) -> None:
    values = {"io.pattern": pattern, "io.bytes_read": 0, "io.bytes_written": 5}
    *before, _ = fit_advice((CODE,), own("flash4"), context(values), "small-io")
    assert ("useCollectiveHDF5" in before[0].text) is is_told
    assert "checkpointFileIntervalStep" in before[0].text


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
    text = told(program, rule)
    assert said in text
    assert not_said not in text


@pytest.mark.parametrize(("program", "rule"), [("SeisSol_Release", "metadata-bound"), ("padcirc", "slow-opens")])
def test_where_no_setting_changes_it_nothing_is_said(program: str, rule: str) -> None:
    assert fit_advice((CODE,), own(program), rule=rule) == (CODE,)


@pytest.mark.parametrize(
    ("path", "rule", "said", "not_said"),
    [
        ("/p/run/wrfout_d01_2020-01-01_00:00:00", "serial-io", "io_form_history = 11", "with 102 for"),
        ("/p/run/wrfout_d01_2020-01-01_00:00:00", "many-small-files", "frames_per_outfile", "with 102 for"),
        ("/p/run/wrfout_d01_2020-01-01_00:00:00_0017", "many-small-files", "with 102 for", "io_form_history = 11"),
        ("/p/run/wrfout_d01_2020-01-01_00:00:00_0017", "serial-io", "nio_groups", "io_form_history = 11"),
        ("/p/run/wrfrst_d02_2020-01-01_00:00:00_0123", "many-small-files", "with 102 for", "io_form_history = 11"),
    ],
)
def test_files_show_what_is_set(path: str, rule: str, said: str, not_said: str) -> None:
    settings = settings_of(known("wrf.exe", path), changes_against(rule))
    assert settings is not None
    assert said in settings.text
    assert not_said not in settings.text


@pytest.mark.parametrize(
    ("program", "rule", "file", "said"),
    [
        ("vasp_std", "serial-io", "/p/WAVECAR", "LWAVE"),
        ("vasp_std", "sync-heavy", "/p/OUTCAR", "NWRITE"),
        ("vasp_std", "serial-io", "/p/XDATCAR", None),
        ("vasp_std", "serial-io", "/p/AECCAR0", "LAECHG"),
        ("icon", "serial-io", "/p/exp_restart_atm_20200101T000000Z.nc", "restart_write_mode"),
        ("siesta", "serial-io", "/p/h2o.DM", "Write.DM.end.of.cycle"),
        ("siesta", "serial-io", "/p/h2o.out", None),
        ("bison-opt", "serial-io", "/p/out.e", "nemesis = true"),
        ("bison-opt", "serial-io", "/p/out.csv", "time_step_interval"),
        ("pmemd.MPI", "sync-heavy", "/p/prod.nc", "ntwx"),
        ("wrf.exe", "small-io", "/p/rsl.out.0017", "debug_level = 0 in &time_control, the default, prints"),
        ("wrf.exe", "small-io", "/p/wrfrst_d01_2020-01-01_00:00:00", "history_interval"),
    ],
)
def test_what_is_set_of_some_files_is_not_said_of_others(program: str, rule: str, file: str, said: str | None) -> None:
    found = settings_of(known(program), changes_against(rule), file=file)
    every = settings_of(known(program), changes_against(rule))
    assert every is not None
    assert (found is None) is (said is None)
    assert found is None or (said or "") in found.text
    assert (said or "") in every.text


@pytest.mark.parametrize(
    ("program", "together", "left"),
    [
        ("wrf.exe", "io_form_history = 11", "nio_tasks_per_group"),
        ("cesm.exe", "PIO_TYPENAME", "PIO_NUMTASKS and PIO_STRIDE, which ./xmlchange sets,"),
        ("romsM", "OUT_LIB", "PIO_IOTASKS"),
        ("abinit", "iomode", "prtwf"),
    ],
)
@pytest.mark.parametrize(
    ("rule", "pattern", "by_calls", "said"),
    [
        ("straggler-rank", "shared-collective", 1.0, False),
        ("few-nodes", "subfiling", 1.0, False),
        ("few-nodes", "subfiling", 0.0, True),
        ("straggler-rank", "file-per-process", 1.0, True),
        # Beside collective calls one rank writes a file of its own.
        ("serial-io", "shared-collective", 1.0, True),
    ],
)
def test_what_has_all_ranks_write_together_is_not_told_to_ranks_that_do(
    program: str, together: str, left: str, rule: str, pattern: str, by_calls: float, *, said: bool
) -> None:
    found = context(
        {"io.bytes_read": 1, "io.bytes_written": 9, "io.pattern": pattern, "mpiio.collective_fraction": by_calls}
    )
    text = " ".join(one.text for one in fit_advice((CODE,), own(program), found, rule))
    assert (together in text) is said
    assert left in text


@pytest.mark.parametrize(
    ("program", "said"), [("lmp", "in thermo"), ("namd3", "outputEnergies"), ("cp2k.psmp", "EACH in"), ("pw.x", None)]
)
def test_one_process_that_prints_much_has_the_settings_of_its_prints_too(program: str, said: str | None) -> None:
    told = fit_advice((advice(SEND_TO_A_FILE),), own(program), rule="stdio-heavy")
    assert told[-1].text == SEND_TO_A_FILE
    assert [said in one.text for one in told[:-1]] == ([] if said is None else [True])


@pytest.mark.parametrize(
    ("rule", "values", "said"),
    [
        ("serial-io", {"io.bytes_read": 10, "io.bytes_written": 5}, "io_form_input"),
        ("serial-io", {"io.bytes_read": 5, "io.bytes_written": 10}, "io_form_history"),
        ("redundant-reads", {"io.bytes_read": 5, "io.bytes_written": 10}, "io_form_input"),
        ("sync-heavy", {"io.bytes_read": 10, "io.bytes_written": 5}, "history_interval"),
        ("sync-heavy", TEMPORARIES, "history_interval"),
        ("shared-log", {"io.bytes_read": 10, "io.bytes_written": 5}, "history_interval"),
        ("serial-io", {}, "io_form_history"),
    ],
)
def test_what_is_said_is_of_the_findings_own_direction(rule: str, values: dict[str, int], said: str) -> None:
    (settings, _) = fit_advice((CODE,), own("wrf.exe"), context(values), rule)
    assert said in settings.text


@pytest.mark.parametrize("rule", ["few-writers", "ranks-in-turn"])
@pytest.mark.parametrize(("program", "others"), [("gmx_mpi", False), ("ramses3d", False), ("model.x", True)])
def test_of_other_programs_nothing_is_said_to_users_of_one_that_is_known(rule: str, program: str, others: bool) -> None:
    job = {"job.nprocs": 64, "io.bytes_written": 2**40, "io.bytes_read": 0}
    said = " ".join(one.text for one in all_rules()[rule].advise(context(job, program=program)))
    assert ("AMReX" in said) is others


@pytest.mark.parametrize(
    ("program", "rule", "reads", "said"),
    [
        ("ph.x", "small-io", False, "a run that is interrupted cannot be gone on with"),
        ("enzo.exe", "serial-io", True, "where Enzo's tool ring has divided them before"),
        ("padcirc", "serial-io", False, "adcprep divides the domain among the others"),
        ("ramses3d", "serial-io", False, "of each group of IOGROUPSIZE ranks one writes at a time"),
        ("SeisSol_Release", "serial-io", False, "two at least, beside as many as the mesh has parts"),
        ("ufs_model", "serial-io", False, "which are started beside those of its layout"),
    ],
)
def test_what_a_setting_asks_for_besides_is_said(program: str, rule: str, reads: bool, said: str) -> None:
    told = settings_of(known(program), changes_against(rule), reads=reads)
    assert told is not None
    assert said in told.text
    assert told.citation is not None


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize(("together", "section"), [(False, "default_access"), (True, "default_comm")])
def test_the_section_that_is_cited_has_what_is_told_first(*, reads: bool, together: bool, section: str) -> None:
    told = settings_of(known("cs_solver"), changes_against("straggler-rank"), reads=reads, together=together)
    assert told is not None
    assert told.citation is not None
    assert told.citation.section == f"cs_file_set_{section}"


def test_the_manual_that_is_cited_is_of_what_is_told() -> None:
    """OpenFOAM's own source says how often it writes, its documentation which ranks do the I/O."""
    often, ranks = (
        settings_of(known("simpleFoam", "/p/processors64/0/U"), frozenset((about,))) for about in ("amount", "movers")
    )
    assert often is not None
    assert ranks is not None
    assert often.citation is not None
    assert ranks.citation is not None
    assert often.citation.document == "openfoam-time"
    assert ranks.citation.document != often.citation.document
