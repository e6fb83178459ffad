"""Advice that would contradict the evidence is withheld, and says why; what holds stands before it."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from declared import GIB, context

from iotriage.rules import all_rules
from iotriage.rules.advice.lock_mode import share_lock
from iotriage.rules.core.advice import advice as to_do
from iotriage.rules.core.advice import advice_text, withheld, withheld_last
from iotriage.rules.core.words import size

SHARED = {"file.size": 200 * GIB, "job.nprocs": 512, "io.pattern": "shared-collective", "file.stripe_count": 1}
READ_ONLY = {"io.bytes_read": 200 * GIB, "io.bytes_written": 0}


def said(rule, values, **given):
    return all_rules()[rule].advise(context(values, **given))


def reasons(advice):
    return [advice_text(a) for a in advice if a.withheld is not None]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("gpfs", "GPFS"),
        ("vast", "VAST"),
        ("weka", "WEKA"),
        ("beegfs", "BeeGFS"),
        ("daos", "DAOS"),
        ("nfs", "NFS"),
        ("local", "a local file system"),
        ("other", "a file system of another kind"),
    ],
)
def test_striping_is_withheld_where_there_is_none(kind, name):
    (reason,) = reasons(said("ssf-understriped", SHARED, file_system=kind))
    assert reason == f"Not advised: striping, because lfs sets stripes on Lustre alone, and the files are on {name}."


def test_striping_is_withheld_on_a_file_system_of_the_site_that_has_none():
    (reason,) = reasons(said("ssf-understriped", SHARED, site="archer2", file="/home/z19/user/run/out.dat"))
    assert reason == "Not advised: striping, because ARCHER2 (EPCC) has no striping to set on this file system."


def test_more_stripes_are_withheld_where_the_file_has_all():
    (reason,) = reasons(said("few-aggregators", SHARED | {"file.stripe_count": 12, "file.stripes_possible": 12})[:1])
    assert reason == "Not advised: more stripes, because the file lies on all 12 OSTs that there are."


def test_files_that_the_run_made_are_striped_before_they_are_made_again():
    (advice,) = said("ssf-understriped", SHARED | {"io.bytes_written": GIB, "io.bytes_read": 0})
    assert advice.command == "lfs setstripe -c 72 -S 1M /lus/fs/project/run"
    assert "even when it is rewritten; remove the file first, or copy it" in advice.text


def test_a_file_that_was_there_already_is_copied_into_a_new_directory():
    (advice,) = said("ssf-understriped", SHARED | READ_ONLY)
    assert advice.command == (
        "mkdir /lus/fs/project/run/striped && lfs setstripe -c 72 -S 1M /lus/fs/project/run/striped "
        "&& cp /lus/fs/project/run/out.dat /lus/fs/project/run/striped"
    )
    assert "they are there already and keep their striping: copy them" in advice.text
    assert advice.text.endswith(f" The copy takes {size(SHARED['file.size'])} more space there.")


@pytest.mark.parametrize("file", ["/lus/fs/run/in put.dat", "/lus/fs/run/in.nc", "/scratch/in.nc"])
def test_one_file_in_the_jobs_own_directory_is_copied_and_not_all_that_lies_there(file):
    there = {"file.directory": "/lus/fs/run", "job.work_directory": "/lus/fs/run"}
    (advice,) = said("ssf-understriped", SHARED | READ_ONLY | there, file=file)
    assert advice.command.endswith(f'&& cp {shlex.quote(file)} "$NEW_DIRECTORY"')
    assert "more space there" in advice.text


@pytest.mark.parametrize("file", ["out.dat", "/lus/fs/4028781608"])
def test_of_a_file_without_a_path_the_space_of_its_copy_is_not_told(file):
    (advice,) = said("ssf-understriped", SHARED | READ_ONLY, file=file)
    assert 'cp -r "${FOLDER:?' in advice.command
    assert "more space" not in advice.text


def test_many_files_that_were_there_already_are_copied_with_their_directory():
    (advice,) = said("fpp-striped", READ_ONLY, files=256)
    assert advice.command.endswith("&& cp -r /lus/fs/project/run/. /lus/fs/project/run.striped")
    assert "more space" not in advice.text


@pytest.mark.parametrize(
    "path", ["/lus/fs/a b/$(touch pwned)/out.dat", "/lus/fs/pro'ject/run/o\nut.dat", "-rf/x/y/o.dat"]
)
def test_a_pasted_copy_names_the_files_and_does_nothing_else(path, tmp_path):
    (advice,) = said("fpp-striped", READ_ONLY, file=path)
    calls = "".join(f'{name}() {{ printf "%s\\0" {name} "$@"; }}\n' for name in ("mkdir", "lfs", "cp"))
    done = subprocess.run(
        ["bash", "-c", calls + advice.command], cwd=tmp_path, capture_output=True, check=True, timeout=20
    )
    file = f"./{path}" if path.startswith("-") else path
    directory = file.rsplit("/", 1)[0]
    new = f"{directory}/striped"
    words = ["mkdir", new, "lfs", "setstripe", "-c", "1", "-S", "1M", new, "cp", file, new]
    assert done.stdout.decode().split("\0")[:-1] == words
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("values", "given", "because"),
    [
        ({}, {"api": "HDF5"}, "HDF5 writes headers and metadata independently"),
        ({}, {"api": "PnetCDF"}, "PnetCDF writes headers and metadata independently"),
        ({"mpiio.independent_writes": 1, "mpiio.independent_reads": 2}, {}, "the program makes 3 independent calls"),
        ({"posix.opens": 512, "mpiio.independent_writes": 0}, {}, "Darshan watches this run and writes on its own"),
    ],
)
def test_the_shared_lock_is_withheld_where_not_every_access_is_collective(values, given, because):
    advice = share_lock(context(values, **given))
    assert because in advice_text(advice)
    assert "would abort or hang" in advice_text(advice)
    assert (advice_text(advice).startswith("Not advised: "), advice.command) == (True, None)


def test_the_shared_lock_is_offered_where_all_is_collective():
    advice = share_lock(context({"mpiio.independent_writes": 0}, file="/lus/fs/p/run/out.dat"))
    hints = ("cray_cb_write_lock_mode=1", "cray_cb_nodes_multiplier=4", "romio_no_indep_rw=true")
    assert advice.command == f'export MPICH_MPIIO_HINTS="*out.dat:{":".join(hints)}"'
    assert "Darshan off" in advice.text


def test_few_aggregators_says_why_it_does_not_offer_the_shared_lock():
    (reason,) = reasons(said("few-aggregators", SHARED | {"posix.opens": 512}))
    assert "cray_cb_write_lock_mode=1" in reason


def test_who_only_reads_chooses_no_lock_of_writes():
    found = said("few-aggregators", SHARED | READ_ONLY)
    assert any("cray_cb_nodes_multiplier" in (one.command or "") for one in found)
    assert not any("lock" in advice_text(one) for one in found)
    assert any("lock mode 2" in advice_text(one) for one in said("few-aggregators", SHARED | {"io.bytes_written": GIB}))


def test_what_holds_stands_before_what_does_not():
    first, last = to_do("Do it."), withheld("that", "it does not hold")
    assert withheld_last([last, first]) == (first, last)
    assert advice_text(last) == "Not advised: that, because it does not hold."


@pytest.mark.parametrize("rule", ["single-aggregator", "few-aggregators"])
def test_without_stripes_one_rank_of_every_node_aggregates(rule):
    first, *others = withheld_last(said(rule, SHARED, file_system="gpfs"))
    assert '"cb_config_list", "*:1"' in first.command
    assert reasons(others)


@pytest.mark.parametrize("rule", ["single-aggregator", "few-aggregators"])
@pytest.mark.parametrize(("done", "ways"), [("read", ["read"]), ("written", ["write"])])
def test_what_is_read_is_buffered_for_reading(rule, done, ways):
    other = {"read": "written", "written": "read"}[done]
    given = SHARED | {f"io.bytes_{done}": GIB, f"io.bytes_{other}": 0, "mpi.library": "openmpi"}
    first = withheld_last(said(rule, given, file_system="gpfs"))[0]
    assert [way for way in ("write", "read") if f"romio_cb_{way}" in first.command] == ways
    assert "OMPI_MCA_io=^ompio" in first.lead


@pytest.mark.parametrize(
    "metrics",
    [
        {},
        {"file.size": GIB // 2},
        SHARED | {"file.stripe_count": 72},
        SHARED | {"job.nprocs": 64, "file.stripe_count": 4},
    ],
    ids=["size not known", "small", "as many as its size asks for", "few ranks"],
)
def test_a_striping_that_is_no_better_than_the_one_there_is_withheld(metrics):
    (reason,) = reasons(said("ssf-understriped", metrics))
    assert reason.startswith("Not advised: more stripes, because no more than ")


@pytest.mark.parametrize(
    ("library", "printed"),
    [
        ("openmpi", "export OMPI_MCA_io_ompio_verbose_info_parsing=1"),
        ("intel-mpi", "export ROMIO_PRINT_HINTS=1"),
        ("mpich", "export ROMIO_PRINT_HINTS=1"),
        ("cray-mpich", "export MPICH_MPIIO_HINTS_DISPLAY=1\nexport MPICH_MPIIO_STATS=1"),
    ],
)
def test_each_library_prints_its_hints_in_its_own_way(library, printed):
    (look,) = [a for a in said("single-aggregator", SHARED | {"mpi.library": library}) if "look for a hint" in a.text]
    assert look.command == printed
