"""What a job script sets in the environment: as the shell takes it, and what is odd about it."""

from __future__ import annotations

import pytest
from job_context_text import contexts, only, script
from stats_text import codes, message, read

from iotriage_parsers.evidence import JobContext


def test_environment_as_the_shell_takes_it() -> None:
    job = only(
        script(
            "export MPICH_MPIIO_HINTS='*.h5:cb_nodes=8:romio_cb_write=enable' FI_OFI_RXM_SAR_LIMIT=64K",
            "setenv DARSHAN_MODMEM 64",
            "unset LD_PRELOAD",
            "export AWS_SECRET_ACCESS_KEY=abc PATH=/x:$PATH",
            "#export MPICH_MPIIO_TIMERS=1",
            "MPICH_MPIIO_STATS=2 srun -n 4 ./a",
        )
    )
    assert [(e.name, e.value) for e in job.environment] == [
        ("MPICH_MPIIO_HINTS", "*.h5:cb_nodes=8:romio_cb_write=enable"),
        ("FI_OFI_RXM_SAR_LIMIT", "64K"),
        ("DARSHAN_MODMEM", "64"),
        ("LD_PRELOAD", None),
        ("MPICH_MPIIO_STATS", "2"),
    ]


def test_quotes_of_a_word_processor_are_kept_and_said() -> None:
    evidence = read(script("export MPICH_MPIIO_HINTS=“*:cray_cb_nodes_multiplier=4”"))
    assert evidence.of(JobContext)[0].environment[0].value == "“*:cray_cb_nodes_multiplier=4”"
    assert "typographic quotes" in message(evidence, "note")
    assert evidence.status == "complete"


@pytest.mark.parametrize(
    ("line", "value", "cut_off"),
    [
        (
            "export MPICH_MPIIO_HINTS=*: striping_unit=8388608: striping_factor=48",
            "*:",
            "striping_unit=8388608: striping_factor=48",
        ),
        ("export MPICH_MPIIO_HINTS=*:cb_nodes=4:romio_no_ind ep_rw=true", "*:cb_nodes=4:romio_no_ind", "ep_rw=true"),
        ('export MPICH_MPIIO_HINTS="*: cb_nodes=4" MPICH_MPIIO_STATS=1', "*: cb_nodes=4", None),
        ("export MPICH_MPIIO_HINTS=*:cb_nodes=4 MPICH_MPIIO_STATS=1", "*:cb_nodes=4", None),
    ],
)
def test_what_a_blank_cuts_off_from_a_hint_string_is_kept_and_said(line: str, value: str, cut_off: str | None) -> None:
    evidence = read(script(line))
    first = evidence.of(JobContext)[0].environment[0]
    assert (first.value, first.cut_off) == (value, cut_off)
    assert any(p.code == "note" and "ends at a blank" in p.message for p in evidence.problems) == (cut_off is not None)


@pytest.mark.parametrize(
    "text",
    [
        'export FI_OFI_RXM_SAR_LIMIT=64K\nexport MPICH_MPIIO_HINTS="*:cb_nodes=4"\n',
        "FI_OFI_RXM_SAR_LIMIT=64K\nHOME=/home/u\nMPICH_MPIIO_HINTS=*:cb_nodes=4\n",
    ],
)
def test_settings_alone_are_what_a_script_would_set(text: str) -> None:
    (found,) = only(text).environment[:1]
    assert (found.name, found.value) == ("FI_OFI_RXM_SAR_LIMIT", "64K")
    assert [e.value for e in only(text).environment] == ["64K", "*:cb_nodes=4"]


@pytest.mark.parametrize("around", ["Set this in your script:\n{}", "{}\nand run the job again\n"])
def test_settings_among_other_lines_are_nobodys(around: str) -> None:
    assert contexts(around.format("export MPICH_MPIIO_STATS=1\n")) == ()


def test_a_lost_star_is_kept_and_said() -> None:
    evidence = read(script('export MPICH_MPIIO_HINTS=":cray_cb_write_lock_mode=2,:cray_cb_nodes_multiplier=4"'))
    value = evidence.of(JobContext)[0].environment[0].value
    assert value == ":cray_cb_write_lock_mode=2,:cray_cb_nodes_multiplier=4"
    assert "a * was lost" in message(evidence, "note")
    whole = read(script('export MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=2,out*:cb_nodes=4"'))
    assert codes(whole) == []


def test_iobuf_is_said() -> None:
    evidence = read(script("export IOBUF_PARAMS='*:size=64M:count=4:verbose'"))
    assert evidence.of(JobContext)[0].environment[0].name == "IOBUF_PARAMS"
    assert "its output is not read" in message(evidence, "note")


SETS = 'export MPICH_MPIIO_HINTS="*:cb_nodes=4"'


@pytest.mark.parametrize(
    ("lines", "held"),
    [
        ((SETS, 'MPICH_MPIIO_HINTS="*:cb_nodes=8"'), "*:cb_nodes=8"),
        ((SETS, 'MPICH_MPIIO_HINTS+=",a*:cb_nodes=8"'), "*:cb_nodes=4,a*:cb_nodes=8"),
        ((SETS, 'export MPICH_MPIIO_HINTS+=",a*:cb_nodes=8"'), "*:cb_nodes=4,a*:cb_nodes=8"),
        (
            (SETS, "export MPICH_MPIIO_HINTS+=,a:b=1", "export MPICH_MPIIO_HINTS=$MPICH_MPIIO_HINTS,c:d=2"),
            "*:cb_nodes=4,a:b=1,c:d=2",
        ),
        (("export MPICH_MPIIO_HINTS", "MPICH_MPIIO_HINTS=*:cb_nodes=8"), "*:cb_nodes=8"),
        (("declare -x MPICH_MPIIO_HINTS=a", "MPICH_MPIIO_HINTS=*:cb_nodes=8"), "*:cb_nodes=8"),
        (("set -a", "MPICH_MPIIO_HINTS=*:cb_nodes=8", "set +a"), "*:cb_nodes=8"),
        (("set -a", "set +a", "MPICH_MPIIO_HINTS=*:cb_nodes=8"), None),
        (("set -e -a", "MPICH_MPIIO_HINTS=*:cb_nodes=8"), "*:cb_nodes=8"),
        (("set -o allexport", "MPICH_MPIIO_HINTS=*:cb_nodes=8", "set +o allexport"), "*:cb_nodes=8"),
        (("set -o allexport", "set +o allexport", "MPICH_MPIIO_HINTS=*:cb_nodes=8"), None),
        (("set -euo pipefail", "MPICH_MPIIO_HINTS=*:cb_nodes=8"), None),
        (("MPICH_MPIIO_HINTS=*:cb_nodes=8",), None),
        (("declare MPICH_MPIIO_HINTS=*:cb_nodes=8",), None),
        ((SETS, "declare MPICH_MPIIO_HINTS=*:cb_nodes=8"), "*:cb_nodes=8"),
        (("declare MPICH_MPIIO_HINTS=*:cb_nodes=8", "export MPICH_MPIIO_HINTS"), "*:cb_nodes=8"),
        ((SETS, "MPICH_MPIIO_HINTS=$(cat hints)"), "$MPICH_MPIIO_HINTS"),
        ((SETS, "read MPICH_MPIIO_HINTS < hints"), "$MPICH_MPIIO_HINTS"),
        ((SETS, "for MPICH_MPIIO_HINTS in a:b=1 a:b=2; do"), "$MPICH_MPIIO_HINTS"),
        ((SETS, 'MPICH_MPIIO_HINTS=${MPICH_MPIIO_HINTS:-"a:b=1"}'), "*:cb_nodes=4"),
        ((SETS, "export MPICH_MPIIO_HINTS=${MPICH_MPIIO_HINTS:-a:b=1}"), "*:cb_nodes=4"),
        (("cat > env.sh <<E", SETS, "E", "source env.sh"), "*:cb_nodes=4"),
        (("cat > env.sh <<E", SETS, "E", "bash env.sh"), None),
        ((SETS, "export -n MPICH_MPIIO_HINTS"), None),
        ((SETS, "declare +x MPICH_MPIIO_HINTS", "MPICH_MPIIO_HINTS=*:cb_nodes=8"), None),
        ((SETS, "unset MPICH_MPIIO_HINTS", "MPICH_MPIIO_HINTS=*:cb_nodes=8"), None),
    ],
)
def test_what_is_in_the_environment_already_is_changed_there(lines: tuple[str, ...], held: str | None) -> None:
    given = only(script(*lines, "srun -n 4 ./a")).environment
    assert next((setting.value for setting in reversed(given)), None) == held


@pytest.mark.parametrize("command", ["source ./env.sh", ". env.sh", "source env.sh && echo done"])
def test_what_a_script_writes_and_sources_it_sets(command: str) -> None:
    job = only(script("cat > env.sh <<EOF", "export MPICH_MPIIO_STATS=1", "EOF", command, "srun -n 4 ./a"))
    assert [(setting.name, setting.value, setting.line) for setting in job.environment] == [
        ("MPICH_MPIIO_STATS", "1", 4)
    ]


@pytest.mark.parametrize(
    "name",
    [
        *("./env.sh", "../common/settings.sh", "$HOME/setup.env", '"$SLURM_SUBMIT_DIR/set.sh"', "/home/sea/env.sh"),
        *("/global/homes/s/sea/env.sh", "/lus/flare/projects/sea/env.sh", "/pscratch/sd/s/sea/env.sh"),
        *(
            "./setup",
            "../env/cray",
            "$HOME/envs/cray-mpich",
            "modules_archer2",
            "$SETUP",
            "~/env.frontier",
            "./a.b/c-d_e",
        ),
    ],
)
def test_a_script_that_is_sourced_and_not_given_is_named(name: str) -> None:
    evidence = read(script(f"source {name}", "srun -n 4 ./a"))
    assert "what it sets is not known" in message(evidence, "note")
    assert name.strip('"') in message(evidence, "note")


@pytest.mark.parametrize(
    "name",
    [
        *("/etc/profile.d/modules.sh", "/opt/intel/oneapi/setvars.sh", "$CONDA/etc/profile.d/conda.sh", "~/.bashrc"),
        *("$HOME/spack/share/spack/setup-env.sh", "venv/bin/activate", "/usr/share/lmod/lmod/init/bash"),
        *(
            "activate",
            "$VENV/bin/activate",
            "$MODULESHOME/init/bash",
            "/etc/profile",
            "$HOME/.bash_profile",
            "~/.cshrc",
        ),
        *("<(spack load --sh hdf5)", "/opt/cray/pe/cpe/23.12/restore_lmod_system_defaults.sh", "$FOAM/etc/bashrc"),
    ],
)
def test_what_a_package_has_to_be_sourced_is_none_of_the_users(name: str) -> None:
    assert codes(read(script(f"source {name}", "srun -n 4 ./a"))) == []


WORDS = """
set export unset declare readonly setenv source . module ml srun mpirun aprun sbatch time env exec eval nice timeout
xargs sudo bash ssh cd trap if for while case [[ read alias apptainer podman lfs ulimit let numactl { ( (( $( ` !
&& || | ; & > << <<< = A= += $X ${ -- - ''
"""


@pytest.mark.parametrize("word", WORDS.split())
@pytest.mark.parametrize("around", ["{}", "{} | cat", "X=$({})", "bash -c '{}'", "srun {}", "if {}; then :; fi"])
def test_a_word_without_what_belongs_to_it_is_survived(word: str, around: str) -> None:
    assert read(script(around.format(word)))


def test_set_alone_changes_nothing() -> None:
    job = only(script("set", "MPICH_MPIIO_HINTS=a:b=1"))
    assert ([launch.ranks for launch in job.launches], job.environment) == ([8], ())
