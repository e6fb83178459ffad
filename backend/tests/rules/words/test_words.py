"""What rules say and advise: never an exception, never a half sentence, never a name that bites."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import get_args

import pytest
from budget import examples
from declared import GIB, context, metrics_of, thresholds_of_all
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from iotriage.analysis.decision.condition import answer
from iotriage.metrics import all_metrics
from iotriage.rules import all_rules
from iotriage.rules.core.commands import shell_word
from iotriage.rules.core.words import (
    aggregators,
    directory_of,
    number,
    plural,
    printable,
    seconds,
    share,
    size,
)
from iotriage.sites import all_sites
from iotriage.sites.site import FileSystemKind

KINDS = get_args(FileSystemKind)
WORDS = {
    "io.pattern": (
        "serial",
        "file-per-process",
        "file-per-node",
        "shared-independent",
        "shared-collective",
        "subfiling",
    ),
    "io.layer": ("MPI-IO", "POSIX", "STDIO"),
    "hints.cb_write": ("enable", "disable", "automatic"),
    "hints.cb_read": ("enable", "disable", "automatic"),
    "hints.ds_write": ("enable", "disable", "automatic"),
    "hints.audit": ("cb_buffer_size is set, but Cray MPICH takes the stripe size as the buffer's", "*:=\x1b[0m"),
    "environment.sar_limit": ("64K", "", "\u202e1"),
    "environment.mpiio_stats": ("0", "1", "2"),
    "environment.abort_on_error": ("enable", "disable"),
    "errors.cause": ("EDQUOT", "EIO", "ENOSPC", "EMFILE", "EAGAIN", "ENOMEM", "\x1b[2J"),
    "mpich.version": ("8.1.25.17",),
    "job.site": ("archer", "archer2", "theta", "generic"),
}
FIGURES = st.one_of(st.integers(0, 2**62), st.floats(0, 1), st.floats(0, 1e18), st.just(0), st.just(1))
NAMES = st.text(st.characters(codec="utf-8"), max_size=40)

HOSTILE = [
    "/lus/fs/pro'ject/run/out.dat",
    "/lus/fs/a b/$(touch pwned)/out.dat",
    "/lus/fs/`id`/;reboot;/out.dat",
    "/lus/fs/new\nline/run\r/out.dat",
    "/lus/fs/\x1b[2Jclear/\x07bell/out.dat",
    "/lus/fs/-c/--help/out.dat",
    '/lus/fs/"double"/back\\slash/out.dat',
    "/lus/fs/caf\u00e9/\u202eevil/out.dat",
    "/lus/fs/*/?[a]{b,c}~/out.dat",
    "/lus/fs/!history/#comment/out.dat",
    "/lus/fs/tab\there/nul\u2028sep/out.dat",
    "/lus/fs/quote'and\nline/x/out.dat",
    "-rf/x/y/out.dat",
]


@st.composite
def values(draw):
    chosen = draw(st.sets(st.sampled_from(sorted(all_metrics())), max_size=len(all_metrics())))
    return {m: draw(st.sampled_from(WORDS[m])) if m in WORDS else draw(FIGURES) for m in sorted(chosen)}


def spoken(rule, where):
    words, advice, impact = rule.says(where), rule.advise(where), rule.impact(where)
    return words, advice, impact, [words.headline, words.summary, *(a.text for a in advice)]


@settings(max_examples=examples(10), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    values=values(),
    label=NAMES,
    file=st.one_of(st.none(), NAMES, st.sampled_from(HOSTILE)),
    site=st.sampled_from(sorted(all_sites())),
    api=st.sampled_from([None, "HDF5", "PnetCDF", "MPI-IO", "POSIX", "STDIO"]),
    kind=st.sampled_from(KINDS),
)
@example(values={"balance.ranks_per_moving_node": 0.5}, label="", file=None, site="alps", api=None, kind="lustre")
def test_whatever_is_absent_the_words_are_whole(values, label, file, site, api, kind):
    where = context(values, label=label, file=file, site=site, api=api, file_system=kind)
    for rule in all_rules().values():
        words, advice, impact, texts = spoken(rule, where)
        assert words.headline.endswith("."), rule.id
        for text in texts:
            assert printable(text) == text, rule.id
            assert not re.search(r"\bNone\b|\bnan\b|\binf\b|\{|\}", text.replace(printable(label), "x")), (
                rule.id,
                text,
            )
        for a in advice:
            assert a.kind in ("none", "code") if a.command is None else a.kind != "none", rule.id
            if a.command is not None:
                assert all(printable(line) == line for line in a.command.split("\n")), rule.id
                assert a.kind != "shell" or "\n" not in a.command, rule.id
            assert a.fortran is None or a.kind == "code", rule.id
            assert all(printable(line) == line for line in (a.fortran or "").split("\n")), rule.id
        assert impact is None or impact.because.startswith("if ")


def test_nothing_is_said_with_all_metrics_absent_but_the_cause():
    for rule in all_rules().values():
        assert rule.says(context({}, file=None)).headline


@pytest.mark.parametrize("path", HOSTILE)
def test_a_pasted_command_names_the_directory_and_does_nothing_else(path, tmp_path):
    values = {"file.size": 100 * GIB, "job.nprocs": 512, "file.stripe_count": 1, "io.pattern": "shared-collective"}
    (advice,) = all_rules()["fpp-striped"].advise(context(values, file=path))
    script = 'lfs() { printf "%s\\0" "$@"; }\n' + advice.command
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, check=True, timeout=20)
    directory = path.rsplit("/", 1)[0]
    expected = f"./{directory}" if directory.startswith("-") else directory
    assert done.stdout.decode().split("\0")[:-1] == ["setstripe", "-c", "1", "-S", "1M", expected]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", HOSTILE)
def test_a_hint_string_cannot_be_broken_out_of(path):
    name = path.replace("out.dat", '"; reboot #:a=b,c')
    for api in ("MPI-IO", "HDF5"):
        for advice in all_rules()["small-io"].advise(
            context({"io.layer": "MPI-IO", "io.pattern": "shared-collective"}, file=name, api=api)
        ):
            assert "reboot" not in (advice.command or "")


def test_hints_are_for_the_files_in_question():
    where = context({"io.layer": "MPI-IO", "io.pattern": "shared-collective"}, file="/lus/fs/p/run/out.0012.nc")
    first, second = all_rules()["small-io"].advise(where)
    assert first.command == 'export MPICH_MPIIO_HINTS="*out.*.nc:romio_cb_write=enable:romio_cb_read=enable"'
    assert 'MPI_Info_set(info, "romio_cb_write", "enable");' in second.command


@pytest.mark.parametrize(
    ("api", "line"),
    [
        ("HDF5", "H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);"),
        ("PnetCDF", "ncmpi_put_vara_double_all"),
        ("MPI-IO", "MPI_File_write_at_all"),
        (None, "MPI_File_write_at_all"),
    ],
)
def test_the_collective_call_is_that_of_the_library(api, line):
    advice, *_ = all_rules()["independent-shared"].advise(context({}, api=api))
    assert line in advice.command


@pytest.mark.parametrize(
    ("api", "file", "line"),
    [
        ("HDF5", "out.h5", "call h5pset_dxpl_mpio_f(transfer, H5FD_MPIO_COLLECTIVE_F, error)"),
        ("HDF5", "out.nc", "nf90_var_par_access(ncid, varid, NF90_COLLECTIVE)"),
        ("PnetCDF", "out.nc", "nf90mpi_put_var_all"),
        ("MPI-IO", "out.dat", "call MPI_File_write_at_all"),
    ],
)
def test_the_collective_call_stands_in_fortran_too(api, file, line):
    advice, *_ = all_rules()["independent-shared"].advise(context({}, api=api, file=f"/lus/fs/p/{file}"))
    assert line in advice.fortran


def test_small_variables_of_pnetcdf_are_put_together():
    _, advice, *_ = all_rules()["independent-shared"].advise(context({}, api="PnetCDF"))
    assert "ncmpi_iput_vara_double" in advice.command
    assert "nf90mpi_wait_all" in advice.fortran


STRIPING = ("single-aggregator", "ssf-understriped", "fpp-striped", "few-aggregators")
LARGE = {"file.size": 200 * GIB, "job.nprocs": 512, "io.pattern": "shared-collective", "file.stripe_count": 1}


def commands(rule, **given):
    return [a.command for a in all_rules()[rule].advise(context(LARGE, **given)) if a.command]


@pytest.mark.parametrize("rule", STRIPING)
@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("lustre", "unknown")])
def test_nothing_is_said_of_striping_where_there_are_no_stripes(rule, kind):
    said = all_rules()[rule].advise(context(LARGE, file_system=kind))
    assert not any("lfs" in (a.command or "") or "stripe the directory" in a.text.lower() for a in said)


@pytest.mark.parametrize("rule", STRIPING)
def test_on_lustre_the_command_names_the_directory(rule):
    (command,) = (c for c in commands(rule) if c.startswith("lfs setstripe"))
    assert command == f"lfs setstripe -c {1 if rule == 'fpp-striped' else 72} -S 1M /lus/fs/project/run"


@pytest.mark.parametrize("rule", STRIPING)
def test_where_the_file_system_is_not_known_the_advice_says_so(rule):
    said = all_rules()[rule].advise(context(LARGE, file_system="unknown"))
    (advice,) = (a for a in said if a.command and a.command.startswith("lfs setstripe"))
    assert advice.text.startswith("If these files are on Lustre, ")


@pytest.mark.parametrize(
    ("metrics", "stripes"),
    [
        ({"file.size": 5 * GIB}, 8),
        ({"file.size": 50 * GIB}, 24),
        ({"file.size": 500 * GIB}, 72),
        ({"file.size": 500 * GIB, "file.stripes_possible": 48}, 48),
        ({"file.size": 500 * GIB, "job.nprocs": 95}, 4),
        ({"file.size": 500 * GIB, "job.nprocs": 96}, 72),
        ({"file.size": 500 * GIB, "job.nprocs": 3}, 3),
        ({"file.size": 500 * GIB, "job.nprocs": 512, "job.nnodes": 4}, 4),
    ],
)
def test_stripes_grow_with_the_file_and_stop_at_ranks_nodes_and_osts(metrics, stripes):
    (advice,) = all_rules()["ssf-understriped"].advise(context(metrics))
    assert advice.command == f"lfs setstripe -c {stripes} -S 1M /lus/fs/project/run"


@pytest.mark.parametrize(
    ("seen", "on", "stripes"),
    [
        # Own files on 48 OSTs show these; nobody says that there are 72.
        (48, 1, 48),
        (72, 1, 72),
        # One file on the third OST shows little.
        (3, 1, -1),
        # Of a file on all that are seen nobody knows that there are no others.
        (48, 48, -1),
    ],
)
def test_no_more_stripes_are_asked_for_than_osts_are_known_or_seen(seen, on, stripes):
    there = {"file.size": 500 * GIB, "job.nprocs": 512, "file.osts_seen": seen, "file.stripe_count": on}
    (advice,) = all_rules()["ssf-understriped"].advise(context(there))
    assert advice.command == f"lfs setstripe -c {stripes} -S 1M /lus/fs/project/run"
    (known,) = all_rules()["ssf-understriped"].advise(context(there | {"file.stripes_possible": 200}))
    assert known.command == "lfs setstripe -c 72 -S 1M /lus/fs/project/run"


@pytest.mark.parametrize(("files", "stripes"), [(1, None), (200, 4)], ids=["alone", "of a series"])
def test_a_file_below_a_gibibyte_is_striped_where_it_is_one_of_a_series(files, stripes):
    metrics = {"file.size": GIB * 5 // 8, "file.stripe_count": 1, "io.bytes": 117 * GIB, "job.nprocs": 256}
    (advice,) = all_rules()["ssf-understriped"].advise(context(metrics, files=files))
    assert advice.command == (stripes and f"lfs setstripe -c {stripes} -S 1M /lus/fs/project/run")


def test_archer2_stripes_over_everything_and_sets_its_environment():
    said = commands("ssf-understriped", site="archer2", file="/mnt/lustre/a2fs-work2/z19/run/out.dat")
    assert said[0] == "lfs setstripe -c -1 -S 1M /mnt/lustre/a2fs-work2/z19/run"
    assert said[1] == (
        "export FI_OFI_RXM_SAR_LIMIT=64K\n"
        'export MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=2:cray_cb_nodes_multiplier=4"'
    )
    assert commands("ssf-understriped", site="archer2", file="/home/z19/user/out.dat")[0] == said[1]


@pytest.mark.parametrize("path", ["/lus/theta-fs0/3073605787", "/scratch/out.dat", "out.dat", None, "/out.dat"])
def test_a_mount_point_or_an_anonymous_name_is_not_striped(path):
    (command,) = (c for c in commands("fpp-striped", file=path))
    assert command == 'lfs setstripe -c 1 -S 1M "${OUTPUT_DIRECTORY:?the directory in which the job writes}"'


def test_inferred_aggregators_are_said_to_be_inferred():
    inferred = all_rules()["single-aggregator"].says(context(LARGE | {"mpiio.effective_aggregators": 1.0003}))
    assert "1 aggregator, inferred from the variance over ranks." not in inferred.summary
    counted_ = all_rules()["single-aggregator"].says(
        context(LARGE | {"io.bytes": GIB, "mpiio.effective_aggregators": 1.0003})
    )
    assert "(1.00 GiB) went through 1 aggregator, inferred from the variance over ranks." in counted_.summary
    stats = all_rules()["single-aggregator"].says(context(LARGE | {"io.bytes": GIB, "mpiio.aggregators": 1}))
    assert "went through 1 aggregator." in stats.summary


@pytest.mark.parametrize(
    ("more", "cause"),
    [
        ({"mpiio.independent_write_fraction": 1.0}, "The writes are independent"),
        ({"mpiio.independent_write_fraction": 0.5}, "The writes are independent"),
        ({"mpiio.independent_write_fraction": 0.4}, "their data does not fill whole blocks"),
        ({"mpiio.independent_write_fraction": 0.4, "mpiio.aggregators": 4}, "Collective buffering is at work"),
        ({"hints.cb_write": "disable"}, "their data is not buffered collectively"),
        ({"mpiio.effective_share": 0.8}, "their data is not buffered collectively"),
        ({"mpiio.effective_share": 0.7}, "Collective buffering is at work"),
        ({}, "their data does not fill whole blocks"),
    ],
)
def test_whose_calls_have_the_holes_of_read_modify_writes_is_said(more, cause):
    counted = {"mpiio.rmw_count": 184, "mpiio.write_amplification": 7.9}
    words = all_rules()["read-modify-write"].says(context(counted | more))
    assert cause in words.summary
    assert ("Independent" in words.headline) is (more.get("mpiio.independent_write_fraction", 0.0) >= 0.5)


@pytest.mark.parametrize(
    ("directory", "where", "kind", "server"),
    [
        ({}, "", "lustre", "a metadata server"),
        ({"file.fullest_directory": "/lus/run"}, "used 36,000 files in /lus/run.", "lustre", "a metadata server"),
        ({}, "", "gpfs", "GPFS"),
        ({}, "", "daos", "DAOS"),
    ],
)
def test_the_fullest_directory_is_named_where_it_is_known(directory, where, kind, server):
    known = context({"file.per_directory": 36000} | directory, file_system=kind)
    words = all_rules()["too-many-files-per-directory"].says(known)
    assert words.headline == f"One directory holds 36,000 files, more than {server} handles well."
    assert where in words.summary
    assert bool(words.summary) is bool(directory)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (size(0), "0 B"),
        (size(700), "700 B"),
        (size(1023), "1.00 KiB"),
        (size(1024), "1.00 KiB"),
        (size(2**20), "1.00 MiB"),
        (size(1.5 * 2**30), "1.50 GiB"),
        (size(1000 * 2**20), "0.98 GiB"),
        (size(2**80), "1,048,576 EiB"),
        (seconds(0), "0 s"),
        (seconds(3.41e-05), "34.1 µs"),
        (seconds(0.0123), "12.3 ms"),
        (seconds(1), "1.00 s"),
        (seconds(75), "75.0 s"),
        (seconds(119.6), "2 min"),
        (seconds(3599.7), "1 h"),
        (seconds(7500), "2 h 5 min"),
        (share(0), "0 %"),
        (share(0.0004), "0.04 %"),
        (share(0.0963), "9.6 %"),
        (share(0.05), "5 %"),
        (share(0.0999), "10 %"),
        (share(0.5), "50 %"),
        (share(0.9999999), "over 99 %"),
        (share(1), "100 %"),
        (number(305008), "305,008"),
        (number(3.93), "3.93"),
        (plural(1, "stripe"), "1 stripe"),
        (plural(12, "stripe"), "12 stripes"),
        (aggregators(0.999), "1 aggregator"),
        (aggregators(2.6), "2.6 aggregators"),
        (printable("a\nb\x1b[0m\u202e"), "a\\x0ab\\x1b[0m\\u202e"),
        (shell_word("a'b\nc"), "$'a\\'b\\x0ac'"),
        (directory_of("/a/b/c/out.dat"), "/a/b/c"),
    ],
)
def test_quantities_in_words(said, expected):
    assert said == expected


def test_absent_is_not_zero():
    assert metrics_of({})["io.bytes"].value is None
    assert "0 B" not in all_rules()["serial-io"].says(context({})).summary


@pytest.mark.parametrize(
    ("hints", "said"),
    [
        ({"hints.cb_write": "disable"}, "A hint switches"),
        ({"hints.cb_read": "false"}, "A hint switches"),
        ({"hints.cb_write": "automatic"}, "the library decided against it"),
        ({}, "why it is off is not known"),
    ],
)
def test_why_buffering_is_off_is_said_only_where_the_hints_are_shown(hints: dict[str, str], said: str) -> None:
    summary = all_rules()["collective-disabled"].says(context(hints)).summary
    assert said in summary
    assert sum(words in summary for words in ("A hint switches", "decided against", "not known")) == 1


@pytest.mark.parametrize(
    ("values", "pieces"),
    [
        ({"posix.consecutive_write_fraction": 0.1, "posix.misaligned_fraction": 1.0}, "interleaved"),
        ({"posix.consecutive_write_fraction": 0.9, "posix.misaligned_fraction": 1.0}, "not aligned"),
        ({"mpiio.write_gap_fraction": 0.9}, "interleaved"),
    ],
)
def test_pieces_are_called_interleaved_only_where_they_are(values: dict[str, float], pieces: str) -> None:
    small = {"mpiio.independent_write_fraction": 1.0, "mpiio.typical_write_size": 4096.0}
    assert pieces in all_rules()["independent-shared"].says(context(small | values)).headline


def test_the_others_wait_only_where_times_show_it() -> None:
    straggler = all_rules()["straggler-rank"]
    values = {"balance.gathered_evenly": "no", "balance.bytes": 652.0, "job.nprocs": 1024}
    profiled = values | {"profiled.rank_time": 60.0}
    assert straggler.says(context(profiled)).headline == "One rank moves far more data than the others."
    assert "wait" in straggler.says(context(values | {"balance.time": 1.5})).headline
    apart = {"io.pattern": "shared-collective", "balance.storage_apart": 3.0, "balance.storage_apart_fraction": 0.6}
    some = apart | {"balance.storage_apart_ranks": 2, "balance.storage_apart_movers": 16}
    said = straggler.says(context(values | {"balance.bytes": 1.0, "balance.time": 1.0} | some)).headline
    assert said.startswith("2 of the 16 ranks that move the bytes take 3 times as long as the others")


def test_no_collective_call_is_advised_for_streams() -> None:
    straggler = all_rules()["straggler-rank"]
    values = {"balance.gathered_evenly": "no", "balance.bytes": 8.0, "balance.time": 8.0}
    streams, posix = (straggler.advise(context(values | {"io.layer": layer})) for layer in ("STDIO", "POSIX"))
    assert [a.command for a in streams] == [None]
    assert "MPI_File_write_at_all" in (posix[1].command or "")


def test_what_could_be_won_is_reckoned_with_the_stripes_that_are_advised() -> None:
    """ARCHER2's guide asks for all 12 OSTs, on two nodes too; elsewhere two nodes get four stripes."""
    values = {
        "mpiio.expected_aggregators": 256.0,
        "io.bytes": 64.0 * 2**30,
        "file.size": 64.0 * 2**30,
        "file.stripes_possible": 12.0,
        "job.nprocs": 256,
        "job.nnodes": 2,
    }
    single = all_rules()["single-aggregator"]
    won = {site: single.impact(context(values, site=site)) for site in ("archer2", "generic-lustre")}
    assert "if 12 aggregators on as many OSTs" in won["archer2"].because
    assert "if 4 aggregators on as many OSTs" in won["generic-lustre"].because


@pytest.mark.parametrize(
    ("threshold", "value", "values", "said"),
    [
        ("straggler-rank.bytes", 400.0, {"balance.bytes": 256.0, "balance.time": 2.0}, "far more data"),
        ("serial-io.ranks", 2.0, {"job.nprocs": 3}, "One process moves"),
        ("ssf-understriped.busy", 1e10, {"file.ost_rate": 5e8, "file.stripe_count": 8}, "Each moved"),
        ("cache-inflated.factor", 90.0, {"expectation.read_over_ceiling": 80.0, "io.read_bandwidth": 1e9}, "80 times"),
    ],
)
def test_which_way_it_is_follows_the_thresholds_of_the_site(
    threshold: str, value: float, values: Mapping[str, float], said: str
) -> None:
    documented, known = context({"balance.gathered_evenly": "no"} | values), thresholds_of_all()
    moved = known | {threshold: replace(known[threshold], value=value)}
    of_site = replace(documented, answers=partial(answer, thresholds=moved))
    words = [all_rules()[threshold.partition(".")[0]].says(one) for one in (documented, of_site)]
    assert [said in f"{one.headline} {one.summary}" for one in words] == [True, False]
