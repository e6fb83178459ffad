"""Advice beside what the job has already: nothing twice, nothing lost, nothing that it cannot use."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO

import pytest
from declared import context
from evidence_by_hand import log, table

from iotriage.analysis.csh import PRELOADED, SETENV, UNSETENV, filled_in_csh
from iotriage.analysis.fitting import fit_advice
from iotriage.analysis.job_settings import JobSettings, settings_of_job
from iotriage.analysis.run_sets.launching import OF_BASH, proof_lines
from iotriage.metrics.core.missing_evidence import DARSHAN, HINTS, IN_JOB_SCRIPT, LAYOUT, OSTS, STATS
from iotriage.metrics.tables.selecting import select_job
from iotriage.rules.advice import array_snippets, caches, scratch, snippets
from iotriage.rules.advice.calls import file_pattern, hints, site_environment
from iotriage.rules.advice.open_files import keep_open
from iotriage.rules.advice.placement import WORK_DIRECTORY, run_there
from iotriage.rules.advice.striping import OUTPUT_DIRECTORY
from iotriage.rules.advice.system_programs import SYSTEM_PROGRAMS
from iotriage.rules.core import Citation, advice
from iotriage.rules.core.action import (
    Action,
    AskFor,
    EditCode,
    Export,
    FileHint,
    FillIn,
    LaunchProgram,
    ModuleLoad,
    ModuleSwap,
    MpiioHint,
    Named,
    Operand,
    RunCommand,
    SetHint,
    SetStripe,
    SiteLines,
    Unset,
)
from iotriage.rules.core.advice import advice_text
from iotriage.rules.core.launching import PROGRAM, watched_by_darshan
from iotriage.sites import all_sites
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import Hint, JobContext, Lines, MpiioHints
from iotriage_parsers.evidence.job_context import EnvironmentSetting, ModuleCommand

HERE = Lines(1, 40)
NOTHING = JobSettings({}, (), frozenset(), 64, None, on_lustre=True)
LOCK = FileHint("*", "cray_cb_write_lock_mode", "2")
SET_LOCK = advice("Set it.", SetHint("*", (MpiioHint("cray_cb_write_lock_mode", "2"),)))
BUFFERED = advice("Buffer.", SetHint("*out.dat", (MpiioHint("romio_cb_write", "enable"),)))


def commands(own: JobSettings, *given):
    return [one.command for one in fit_advice(given, own)]


def test_what_the_job_sets_is_not_asked_for_again():
    own = replace(NOTHING, environment={"FI_OFI_RXM_SAR_LIMIT": "64K"}, hints=(LOCK,))
    (limit, lock) = fit_advice((advice("Set it.", Export("FI_OFI_RXM_SAR_LIMIT", "64K")), SET_LOCK), own)
    assert (limit.command, lock.command) == (None, None)
    assert limit.withheld == "the job has it already"
    other = replace(NOTHING, environment={"FI_OFI_RXM_SAR_LIMIT": "16K"})
    assert commands(other, advice("Set it.", Export("FI_OFI_RXM_SAR_LIMIT", "64K"))) == [
        "export FI_OFI_RXM_SAR_LIMIT=64K"
    ]


def test_what_stands_beside_crays_own_for_other_libraries_is_left_out_by_what_it_is_and_not_by_its_words():
    hints = (MpiioHint("cb_nodes", "8"),)
    beside = advice("In other words.", SetHint("*out.h5", hints, through="MPI-IO", without_cray=True))
    alone = advice("In the program.", SetHint("*out.h5", hints, through="MPI-IO"))
    assert fit_advice((beside, alone), replace(NOTHING, library="cray-mpich")) == (alone,)
    assert fit_advice((beside, alone), NOTHING) == (beside, alone)


def test_hints_of_the_job_stay_in_the_variable():
    own = replace(NOTHING, hints=(LOCK,))
    assert commands(own, BUFFERED) == [
        'export MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=2,*out.dat:romio_cb_write=enable"'
    ]


def test_what_the_jobs_hints_add_to_stays_there():
    own = replace(NOTHING, hints=(LOCK,), unseen_hints=(FileHint("${MPICH_MPIIO_HINTS}", "", ""),))
    assert commands(own, BUFFERED) == [
        'export MPICH_MPIIO_HINTS="${MPICH_MPIIO_HINTS},*:cray_cb_write_lock_mode=2,*out.dat:romio_cb_write=enable"'
    ]


@pytest.mark.parametrize(
    ("patterns", "asked", "written"),
    [
        (("*o.dat",), ("romio_no_indep_rw", "true"), "*o.dat:cray_cb_write_lock_mode=1:romio_no_indep_rw=true"),
        (("*o.dat",), ("cray_cb_write_lock_mode", "2"), "*o.dat:cray_cb_write_lock_mode=2"),
        (("*o.dat", "*b"), ("cray_cb_write_lock_mode", "2"), "*:cray_cb_write_lock_mode=2"),
        (("*o.dat",), ("cb_nodes", "8"), "*o.dat:cray_cb_write_lock_mode=1,*:cb_nodes=8"),
        ((), ("romio_no_indep_rw", "true"), "*:romio_no_indep_rw=true"),
    ],
)
def test_a_hint_is_changed_for_the_files_for_which_the_job_sets_it(patterns, asked, written):
    own = replace(NOTHING, hints=tuple(FileHint(p, "cray_cb_write_lock_mode", "1") for p in patterns))
    found = commands(own, advice("Set it.", SetHint("*", (MpiioHint(*asked),))))
    assert found == [f'export MPICH_MPIIO_HINTS="{written}"']


@pytest.mark.parametrize("asked", [("romio_cb_write", "enable"), ("cb_nodes", "8")])
@pytest.mark.parametrize("pattern", ["*.log", "restart*"])
def test_a_hint_for_files_whose_names_cannot_be_typed_is_not_given_to_others(asked, pattern):
    own = replace(NOTHING, hints=(FileHint(pattern, asked[0], "automatic"),))
    found = commands(own, advice("Set it.", SetHint("*", (MpiioHint(*asked),))))
    assert found == [f'export MPICH_MPIIO_HINTS="*:{asked[0]}={asked[1]}"']


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("$N", "$N"),
        ("${N}", "${N}"),
        ("$(rm x)", r"\$(rm x)"),
        ("`rm x`", r"\`rm x\`"),
        ("${N:=$(x)}", r"\${N:=\$(x)}"),
    ],
)
def test_a_variable_of_the_script_stays_one_and_nothing_else_runs(value: str, kept: str) -> None:
    own = replace(NOTHING, hints=(FileHint("*", "cb_nodes", value),))
    assert commands(own, BUFFERED) == [f'export MPICH_MPIIO_HINTS="*:cb_nodes={kept},*out.dat:romio_cb_write=enable"']


def test_a_hint_that_the_job_gives_the_file_by_another_pattern_is_changed_there():
    """Of two patterns that fit one file no document says which has the last word."""
    off = FileHint("*", "romio_cb_write", "disable")
    everywhere = replace(NOTHING, hints=(off,))
    assert commands(everywhere, BUFFERED) == ['export MPICH_MPIIO_HINTS="*:romio_cb_write=enable"']
    by_ending = replace(NOTHING, hints=(LOCK, replace(off, file_pattern="*.dat")))
    assert commands(by_ending, BUFFERED) == [
        'export MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=2,*.dat:romio_cb_write=enable"'
    ]
    # That of other files stays as it is.
    others = replace(NOTHING, hints=(replace(off, file_pattern="*.log"),))
    assert commands(others, BUFFERED) == [
        'export MPICH_MPIIO_HINTS="*.log:romio_cb_write=disable,*out.dat:romio_cb_write=enable"'
    ]


def test_a_hint_that_overrides_the_striping_of_the_directory_is_taken_out():
    stripe = advice("Stripe.", SetStripe(Named("/lus/p/run"), 8, 2**23))
    own = replace(NOTHING, hints=(LOCK, FileHint("*", "striping_unit", "1048576")))
    assert commands(own, stripe) == [
        'lfs setstripe -c 8 -S 8M /lus/p/run\nexport MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=2"'
    ]
    alone = replace(NOTHING, hints=(FileHint("*", "striping_factor", "4"),))
    assert commands(alone, stripe) == ["lfs setstripe -c 8 -S 8M /lus/p/run\nunset MPICH_MPIIO_HINTS"]
    of_others = replace(alone, hints=(FileHint("*.nc", "striping_factor", "4"),), in_force={"run.h5": {}})
    assert commands(of_others, stripe) == ["lfs setstripe -c 8 -S 8M /lus/p/run"]


def test_variables_of_cray_are_for_its_library():
    own = replace(NOTHING, library="spectrum-mpi")
    asked = advice("Look.", AskFor(HINTS))
    assert commands(own, BUFFERED, asked) == [None]
    assert own.irrelevant() >= {HINTS, STATS}
    assert commands(replace(NOTHING, library="cray-mpich"), BUFFERED, asked) == [BUFFERED.command, asked.command]


def test_a_single_process_needs_no_mpi():
    call = advice("Call.", EditCode("MPI_File_write_at_all(f);", "call MPI_File_write_at_all(f)", mpi=True))
    buffer = advice("Buffer.", EditCode("setvbuf(f);  /* not of an MPI_File */", "open(unit)"))
    assert commands(replace(NOTHING, processes=1), call, BUFFERED, buffer) == [buffer.command]


@pytest.mark.parametrize("program", sorted(SYSTEM_PROGRAMS))
def test_nobody_changes_the_code_of_a_program_of_the_system(program):
    block = advice("Collect.", EditCode("memcpy(block);", "write(block)"))
    own = replace(NOTHING, processes=1, system_program=program, launcher="srun")
    (one,) = fit_advice((block, advice("Call.", EditCode("fwrite(data);", "write(data)"))), own)
    assert program in one.text
    assert one.command is None or one.command.startswith("srun --ntasks=16 d")


def test_what_is_no_code_stays_for_a_program_of_the_system():
    stripes = advice("Stripe.", SetStripe(Named("/lus/run"), 4, 2**20))
    assert fit_advice((stripes,), replace(NOTHING, system_program="cp")) == (stripes,)


def test_the_program_is_known_by_its_name():
    given = log(table("POSIX"))
    named = replace(given, job=replace(given.job, executable="/usr/bin/cp -r /scratch/a /scratch/b"))
    job = select_job([(0, named)])
    assert settings_of_job(job, all_sites()["generic"], library=None, on_lustre=True).system_program == "cp"


def test_of_what_the_job_has_in_part_the_rest_is_typed_and_the_sentence_says_so():
    both = advice("Set these two.", Export("FI_OFI_RXM_SAR_LIMIT", "64K"), *SET_LOCK.actions)
    (left,) = fit_advice((both,), replace(NOTHING, hints=(LOCK,)))
    assert left.command == "export FI_OFI_RXM_SAR_LIMIT=64K"
    assert left.text == "Set these two. What else belongs to it the job has already."
    assert fit_advice((both,), NOTHING)[0].text == "Set these two."


def test_iobuf_is_of_crays_machines():
    iobuf = advice("Buffer.", ModuleLoad("iobuf"), Export("IOBUF_PARAMS", "*.dat:count=4:size=8M"))
    assert commands(replace(NOTHING, library="mpich"), iobuf) == []
    assert commands(replace(NOTHING, library="cray-mpich"), iobuf) == commands(NOTHING, iobuf) == [iobuf.command]


def test_iobuf_is_not_for_threads():
    iobuf = advice("Buffer.", ModuleLoad("iobuf"), Export("IOBUF_PARAMS", "*.dat:count=4:size=8M"))
    (one,) = fit_advice((iobuf,), replace(NOTHING, environment={"OMP_NUM_THREADS": "4"}))
    assert (one.command, one.withheld) == (None, "it is not thread-safe, and the job sets OMP_NUM_THREADS=4")
    assert commands(replace(NOTHING, environment={"OMP_NUM_THREADS": "1"}), iobuf) == [iobuf.command]


def test_darshan_is_not_asked_for_beside_the_shared_lock():
    own = replace(NOTHING, hints=(FileHint("*", "cray_cb_write_lock_mode", "1"),))
    assert own.irrelevant() == {DARSHAN}
    assert replace(NOTHING, on_lustre=False).irrelevant() == {LAYOUT, OSTS}


@pytest.mark.parametrize(("loaded", "asked"), [("craype-network-ucx", 1), ("craype-network-ofi", 2)])
def test_modules_that_the_script_loads_and_settings_that_it_makes(loaded, asked):
    script = JobContext(
        "script",
        HERE,
        "slurm",
        environment=(EnvironmentSetting("MPICH_MPIIO_HINTS", "*:", 3, "cb_nodes=4"),),
        modules=(ModuleCommand("swap", ("craype-network-ofi", loaded), 4),),
    )
    own = settings_of_job(select_job([(0, script)]), all_sites()["archer2"], library=None, on_lustre=True)
    assert (own.hints, own.library, own.modules) == ((FileHint("*", "cb_nodes", "4"),), "cray-mpich", {loaded})
    of_now = (("craype-network-ucx", "craype-network-ofi"), ("cray-mpich-ucx", "cray-mpich"))
    swaps = advice("Swap.", *(ModuleSwap(*pair) for pair in of_now))
    (fit,) = fit_advice((swaps,), own)
    assert len((fit.command or "").splitlines()) == asked


def test_code_that_calls_mpi_says_so() -> None:
    named = [value for module in (snippets, array_snippets) for value in vars(module).values()]
    every = [edit for one in named for edit in (one.values() if isinstance(one, dict) else [one])]
    edits = [edit for edit in every if isinstance(edit, EditCode)] + [keep_open("MPI-IO", reads=True)]
    calls = re.compile(r"MPI_|mpio|_par(_access)?\(|ncmpi_|coll_metadata")
    assert len(edits) > 30
    assert [edit for edit in edits if edit.mpi is not bool(calls.search(edit.c))] == []
    assert not keep_open("HDF5", reads=True).mpi


def test_what_a_site_sets_is_settings_and_not_text():
    given = site_environment(context({}, site="archer2", file_system="lustre"))
    kinds = [type(action).__name__ for one in given for action in one.actions]
    assert kinds == ["Export", "SetHint", "ModuleSwap", "ModuleSwap"]
    assert hints(context({}, api="POSIX"), "Set it.", Citation("theta-io", "x"), ("a", "b")) == ()


def test_output_that_is_there_is_not_asked_for_again() -> None:
    given = replace(NOTHING, given=frozenset({STATS}))
    find_out = advice("Find out what takes the time.", AskFor(STATS))
    assert commands(NOTHING, find_out) != [None]
    assert commands(given, find_out) == [None]


def test_words_lead_to_no_command_that_is_left_out() -> None:
    find_out = advice("Find out what takes the time.", AskFor(STATS), lead="The library prints that:")
    (left,) = fit_advice((find_out,), replace(NOTHING, given=frozenset({STATS})))
    assert advice_text(left) == "Find out what takes the time."
    both = advice("Set them.", Export("A", "1"), Export("B", "2"), lead="In the job script:")
    (half,) = fit_advice((both,), replace(NOTHING, environment={"A": "1"}))
    said = "Set them. What else belongs to it the job has already. In the job script:"
    assert (advice_text(half), half.command) == (said, "export B=2")


@pytest.mark.parametrize("library", [None, "cray-mpich", "openmpi"])
def test_hints_say_what_they_are_for_whichever_library_it_is(library: str | None) -> None:
    of_library = {} if library is None else {"mpi.library": library}
    given = hints(context(of_library, api="MPI-IO"), "Buffer.", Citation("theta-io", "x"), ("romio_cb_write", "enable"))
    assert advice_text(fit_advice(given, replace(NOTHING, library=library))[0]).startswith("Buffer. ")


def test_what_is_switched_on_is_there_or_will_not_come() -> None:
    assert NOTHING.has() == frozenset()
    on = replace(NOTHING, environment={"MPICH_MPIIO_STATS": "1"}, given=frozenset({HINTS}))
    assert on.has() == {STATS, HINTS}, "timers need a variable more"


def test_what_mpi_io_prints_is_not_to_be_had_of_a_program_without_it() -> None:
    assert STATS not in NOTHING.cannot_show()
    without = replace(NOTHING, mpiio=False)
    assert STATS in without.cannot_show()
    assert STATS not in without.irrelevant()


def opened(file: str, **keys: str) -> MpiioHints:
    shown = tuple(Hint(key, value, 2) for key, value in keys.items())
    return MpiioHints("cray-mpich", file, shown, HERE, complete=True)


def test_hints_that_were_displayed_at_the_open_are_not_asked_for_again() -> None:
    def given(*parts: MpiioHints) -> JobSettings:
        job = select_job([(0, part) for part in parts])
        return settings_of_job(job, all_sites()["generic"], library=None, on_lustre=True)

    wanted = advice(
        "Buffer.", SetHint("*out.*.h5", (MpiioHint("romio_cb_write", "enable"), MpiioHint("cb_nodes", "8")))
    )
    in_code = advice("Pass them.", SetHint("*out.*.h5", (MpiioHint("cb_nodes", "8"),), through="MPI-IO"))
    on = opened("/p/out.01.h5", romio_cb_write="Enable", cb_nodes="8")
    (script, code) = fit_advice((wanted, in_code), given(on, opened("/p/other.dat", cb_nodes="1")))
    assert (script.withheld, code.withheld) == ("the job has it already", "the job has it already")
    few = opened("/p/out.02.h5", romio_cb_write="enable", cb_nodes="4")
    assert commands(given(on, few), wanted) == ['export MPICH_MPIIO_HINTS="*out.*.h5:cb_nodes=8"']
    of_one_file = opened("/p/out.01.h5", romio_cb_write="disable", cb_nodes="8")
    assert commands(given(on, of_one_file), wanted) == ['export MPICH_MPIIO_HINTS="*out.*.h5:romio_cb_write=enable"']
    assert commands(given(opened("/p/else.h5", cb_nodes="8")), wanted) == commands(NOTHING, wanted)
    mixed = replace(on, trusted=False)
    assert commands(given(mixed), wanted) == commands(NOTHING, wanted)


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("/p/cells.h5", "*cells.h5"),
        ("/p/chk.0400.h5", "*chk.*.h5"),
        ("/p/wrf.nc4", "*wrf.nc4"),
        ("/p/dump.7", "*dump.*"),
        ("/p/r1.p2", "*r*.p*"),
    ],
)
def test_the_digit_in_the_name_of_a_format_counts_no_files(file: str, pattern: str) -> None:
    assert file_pattern(context({}, file=file)) == pattern


@pytest.mark.parametrize(
    ("pattern", "key", "asked"),
    [("*", "cb_nodes", True), ("*out.dat", "cb_nodes", True), ("*", "cray_cb_write_lock_mode", False)],
)
def test_a_hint_that_the_job_sets_in_vain_is_looked_at_and_not_set_another_way(
    pattern: str, key: str, *, asked: bool
) -> None:
    hint = MpiioHint(key, "16")
    by_variable, in_code = (
        advice(text, SetHint("*out.dat", (hint,), way)) for text, way in (("Set it.", None), ("", "MPI-IO"))
    )
    own = replace(NOTHING, hints=(FileHint(pattern, key, "16"),))
    assert commands(own, by_variable, in_code) == [*(["export MPICH_MPIIO_HINTS_DISPLAY=1"] if asked else []), None]
    other = replace(NOTHING, hints=(FileHint(pattern, key, "2"),))
    assert len(commands(other, by_variable, in_code)) == 2
    assert "cb_nodes" not in " ".join(filter(None, commands(own, by_variable, in_code)))


@pytest.mark.parametrize(
    ("has", "again"), [("$TMPDIR", False), ("${TMPDIR}", False), ("/scratch/u", True), ("$SCRATCH", True)]
)
def test_a_variable_that_is_another_ones_value_already_is_not_set_again(has: str, *, again: bool) -> None:
    there = advice(
        "Point it there.", Export("DASK_TEMPORARY_DIRECTORY", "${TMPDIR:?a folder of the node}", expands=True)
    )
    (fitted,) = fit_advice((there,), replace(NOTHING, environment={"DASK_TEMPORARY_DIRECTORY": has}))
    assert (fitted.command is not None) == again
    assert ("sets DASK_TEMPORARY_DIRECTORY already" in fitted.text) != again


@pytest.mark.parametrize(
    ("name", "value"),
    [("LD_PRELOAD", "${DARSHAN_PRELOAD:-}:${LD_PRELOAD:-}"), ("DARSHAN_CONFIG_PATH", "$PWD/darshan.conf")],
)
def test_what_has_darshan_watch_the_job_already_names_no_folder_to_look_at(name: str, value: str) -> None:
    (fitted,) = fit_advice(
        (advice("Trace the run.", Export(name, value, expands=True)),), replace(NOTHING, environment={name: value})
    )
    assert fitted.withheld == "the job has it already"


def test_scripts_keep_what_names_folders_that_advice_sets() -> None:
    names = [name for _, name in scratch.VARIABLES + scratch.OF_PATHS]
    names += [cache.variable for cache in caches.CACHES + caches.DOWNLOADS]
    lines = "".join(f"export {name}=$TMPDIR/x\n" for name in names)
    text = f"#!/bin/bash\n#SBATCH --nodes=8\n{lines}srun ./app\n"
    (script,) = (part for part in read(BytesIO(text.encode())).parts if isinstance(part, JobContext))
    assert [setting.name for setting in script.environment] == names


@pytest.mark.parametrize(
    ("actions", "text", "said"),
    [
        ((Export("A", "1"),), "Set it.", True),
        ((ModuleSwap("b", "a"), Export("A", "1")), "Set it.", True),
        ((SET_LOCK.actions[0],), "Set it.", True),
        ((Export("A", "1"),), "Set it in the job script.", False),
        ((ModuleLoad("iobuf", "before linking", linked=True), Export("A", "1")), "Load it.", False),
        ((SetStripe(Named("/lus/p"), 1, 2**20),), "Stripe it.", False),
        ((Export("A", "1"), LaunchProgram(("srun", "./p"))), "Start it.", False),
    ],
)
def test_where_lines_go_is_said_once(actions, text, said):
    (one,) = fit_advice((advice(text, *actions),), NOTHING)
    assert (one.lead == IN_JOB_SCRIPT) is said
    (again,) = fit_advice((one,), NOTHING)
    assert again == one


FIRST, OF_CSH = "In the job script, before the program starts", "(in a script of csh, as the job's is,"


@pytest.mark.parametrize(
    ("text", "actions", "lead"),
    [
        ("Set it.", (Export("A", "1"),), f"{FIRST} {OF_CSH} {SETENV}):"),
        ("Set it in the job script.", (Export("A", "1"),), f"In the job script {OF_CSH} {SETENV}):"),
        ("Take it out.", (Unset("A"),), f"{FIRST} {OF_CSH} {UNSETENV}):"),
        ("Set another.", (Unset("A"), Export("B", "1")), f"{FIRST} {OF_CSH} {SETENV} and {UNSETENV}):"),
    ],
)
def test_lines_of_bash_say_what_they_are_in_a_script_of_csh(text: str, actions: tuple[Action, ...], lead: str):
    own = replace(NOTHING, of_csh=True, environment={"A": "0"})
    (one,) = fit_advice((advice(text, *actions),), own)
    assert one.lead == lead
    assert fit_advice((one,), own) == (one,)


def test_what_is_the_same_in_csh_says_nothing_of_it():
    own = replace(NOTHING, of_csh=True)
    (of_shell,) = fit_advice((advice("Stripe it.", SetStripe(OUTPUT_DIRECTORY, 1, 2**20)),), own)
    assert of_shell.lead == f"At a prompt (in csh, as the job's script is, {filled_in_csh(OUTPUT_DIRECTORY)}):"
    for action in (ModuleLoad("iobuf"), SetStripe(Named("/lus/p"), 1, 2**20)):
        elsewhere = advice("Do it.", action)
        assert fit_advice((elsewhere,), own) == fit_advice((elsewhere,), NOTHING)
    assert OF_BASH in proof_lines(own).remarks
    assert OF_BASH not in proof_lines(NOTHING).remarks


@pytest.mark.parametrize(
    ("action", "how"),
    [
        (run_there("/scratch"), filled_in_csh(WORK_DIRECTORY)),
        (run_there(None), filled_in_csh(WORK_DIRECTORY)),
        (Export("A", f"{WORK_DIRECTORY.value}/tmp", expands=True), f"{SETENV} and {filled_in_csh(WORK_DIRECTORY)}"),
        (
            Export("A", f"{scratch.node_disk(None)[0]}/b", expands=True),
            f"{SETENV} and {filled_in_csh(scratch.NODE_FOLDER)}",
        ),
        (watched_by_darshan(None)[-1], f"{SETENV} and {PRELOADED}"),
        (SiteLines(("cat > hints <<END", "cb_nodes 8", "END", "export ROMIO_HINTS=$PWD/hints")), SETENV),
    ],
)
def test_what_is_left_to_fill_in_is_said_to_be_in_a_script_of_csh(action: Action, how: str) -> None:
    (one,) = fit_advice((advice("Set it.", action),), replace(NOTHING, of_csh=True))
    assert one.lead == f"{FIRST} {OF_CSH} {how}):"
    (of_bash,) = fit_advice((advice("Set it.", action),), NOTHING)
    assert of_bash.lead == IN_JOB_SCRIPT


NEW = FillIn("NEW", "a new directory")


@pytest.mark.parametrize(
    ("actions", "how"),
    [
        ((SetStripe(NEW, 1, 2**20, new=True),), "a new directory stands for all of ${NEW…} and for $NEW"),
        (
            (RunCommand(("touch", NEW)), RunCommand(("rm", Operand("of", NEW)))),
            "a new directory stands for all of ${NEW…} and for $NEW",
        ),
        ((RunCommand(("mkdir", NEW)),), "a new directory stands for all of ${NEW…}"),
        (
            (RunCommand(("strace", "-o", "calls.txt", PROGRAM)),),
            'the words of the command line stand for all of "${PROGRAM…}", quotes too',
        ),
    ],
)
def test_what_is_left_to_fill_in_can_be_typed_at_a_prompt_of_csh(actions: tuple[Action, ...], how: str) -> None:
    """A variable that a line asks for is in the lines behind it, too, and a command line is no one word."""
    (one,) = fit_advice((advice("Do it.", *actions),), replace(NOTHING, of_csh=True))
    assert one.lead == f"At a prompt (in csh, as the job's script is, {how}):"


@pytest.mark.parametrize(
    ("first", "csh"),
    [
        ("#!/bin/csh -f", True),
        ("#!/usr/bin/env tcsh", True),
        ("#PBS -N x\nsetenv OMP_NUM_THREADS 1", True),
        ("#!/bin/bash", False),
        ("#!/bin/bash\nexport OMP_NUM_THREADS=1", False),
        ('#!/bin/bash\nsetenv() { export "$1=$2"; }\nsetenv OMP_NUM_THREADS 1', False),
    ],
)
def test_a_script_of_csh_is_known_by_its_first_line_and_by_what_it_sets(first: str, csh: bool) -> None:
    text = f"{first}\n#PBS -l select=4\nmpiexec -n 64 ./app\n"
    (script,) = (part for part in read(BytesIO(text.encode())).parts if isinstance(part, JobContext))
    assert script.of_csh is csh


def test_other_lines_for_the_same_keep_what_leads_to_them():
    other = advice("", SetHint("*", (MpiioHint("cb_nodes", "4"),)), lead="With Cray MPICH, in the job script:")
    assert fit_advice((other,), NOTHING) == (other,)
