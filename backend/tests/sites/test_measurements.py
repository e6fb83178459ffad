"""A profile made from a centre's own measurements holds what the results print, and decides only what they can."""

from __future__ import annotations

import re
import tomllib
from io import BytesIO
from pathlib import Path

import pytest
import tomlkit

from iotriage.cli import BAD_USE, DONE, NOTHING_READ, main
from iotriage.sites import all_sites, file_of, load
from iotriage.sites.measured_profile import BadNameError, NewSite, profile_of
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.evidence import Evidence
from iotriage_parsers.reader import Limits

SAMPLES = Path(__file__).parents[3] / "sample-logs"
TODAY = "2026-11-22"


def read(text: str) -> Evidence:
    found = read_or_unpack(BytesIO(text.encode()), Limits())
    assert isinstance(found, Evidence)
    return found


def toml_of(site: str) -> str:
    return file_of(site).read_text()


def results_of(folder: str) -> list[tuple[str, Evidence]]:
    return [(file.name, read(file.read_text())) for file in sorted((SAMPLES / folder).glob("*.txt"))]


def ior(ranks: int, rates: list[float], *, order: str = "no tasks offsets", ways: str = "write") -> str:
    """A result of IOR 3.3 in MiB/s, as many rows as there are rates."""
    rows = "".join(
        f"{way:<9} {rate:<9.2f} 10.0  0.1  524288  4096.00  0.02  5.02  0.03  5.08  {i}\n"
        for way in ways.split()
        for i, rate in enumerate(rates)
    )
    return f"""\
IOR-3.3.0: MPI Coordinated Test of Parallel I/O
Began               : Wed Mar  5 10:11:11 2025
Command line        : ./ior -a MPIIO -c -t 4m -o /work/here/shared.dat
Machine             : Linux n001
TestID              : 0
StartTime           : Wed Mar  5 10:11:11 2025
Path                : /work/here
FS                  : 3512.6 TiB   Used FS: 41.3%   Inodes: 2147.5 Mi   Used Inodes: 18.2%

Options:
api                 : MPIIO
apiVersion          : (3.1)
test filename       : /work/here/shared.dat
access              : single-shared-file
type                : collective
segments            : 1
ordering in a file  : sequential
ordering inter file : {order}
nodes               : 2
tasks               : {ranks}
clients per node    : {ranks // 2}
repetitions         : {len(rates)}
xfersize            : 4 MiB
blocksize           : 512 MiB
aggregate filesize  : {ranks // 2} GiB

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
{rows}Finished            : Wed Mar  5 10:11:58 2025
"""


def test_the_rates_are_those_that_the_results_print(tmp_path):
    made = profile_of("ourplace", results_of("ior/shared-at-four-sizes"), TODAY, NewSite())
    printed = {
        int(re.search(r"^tasks +: (\d+)", text, re.MULTILINE)[1]): float(
            re.search(r"^write +([\d.]+)", text, re.MULTILINE)[1]
        )
        for file in (SAMPLES / "ior/shared-at-four-sizes").glob("*.txt")
        for text in [file.read_text()]
    }
    table = tomllib.loads(made.toml)["rates"][0]
    assert {row["processes"]: row["maximum"] for row in table["rows"]} == {
        ranks: pytest.approx(rate, abs=0.05) for ranks, rate in printed.items()
    }
    assert table["statistic"] == "range"
    assert not made.left_out
    file = tmp_path / "ourplace.toml"
    file.write_text(made.toml)
    site = load(file)
    assert site.rates[0].rows[0].rate == pytest.approx(printed[32] * 2**20, abs=2**20 / 10)
    assert site.rates[0].measured == "2025-03-05"


@pytest.mark.parametrize(
    ("rates", "statistic", "row"),
    [
        ([800.0], "range", {"minimum": 800.0, "maximum": 800.0}),
        ([800.0, 900.0, 700.0], "maximum", {"maximum": 900.0}),
        (
            [500.0, 600.0, 700.0, 800.0, 900.0],
            "quartiles",
            {"lower_quartile": 600.0, "median": 700.0, "upper_quartile": 800.0, "maximum": 900.0},
        ),
    ],
)
def test_how_often_it_was_measured_decides_what_the_figure_is(rates, statistic, row):
    made = profile_of("ourplace", [("ior.txt", read(ior(64, rates)))], TODAY, NewSite())
    table = tomllib.loads(made.toml)["rates"][0]
    assert table["statistic"] == statistic
    assert table["rows"] == [{"processes": 64, **row}]


@pytest.mark.parametrize(
    ("rates", "written"), [([0.043, 0.0321], 0.043), ([9.876, 8.0], 9.876), ([1234.56, 1000.0], 1234.6)]
)
def test_a_rate_is_written_with_the_digits_by_which_it_is_told(tmp_path, rates, written):
    text = ior(64, rates).replace(f"{rates[0]:<9.2f}", f"{rates[0]:<9.4f}")
    text = text.replace(f"{rates[1]:<9.2f}", f"{rates[1]:<9.4f}")
    file = tmp_path / "ourplace.toml"
    file.write_text(profile_of("ourplace", [("ior.txt", read(text))], TODAY, NewSite()).toml)
    assert load(file).rates[0].rows[0].rate == pytest.approx(written * 2**20)


def test_a_repetition_that_measured_nothing_is_no_value(tmp_path):
    file = tmp_path / "ourplace.toml"
    file.write_text(profile_of("ourplace", [("a.txt", read(ior(64, [0.0, 800.0])))], TODAY, NewSite()).toml)
    (table,) = load(file).rates
    assert (table.statistic, table.rows[0].minimum) == ("range", 800.0 * 2**20)
    nothing = profile_of("ourplace", [("a.txt", read(ior(64, [0.0, 0.0])))], TODAY, NewSite())
    assert [one.why for one in nothing.left_out] == ["it has no bandwidth"]


def test_a_head_that_rounds_to_no_bytes_says_nothing_of_each_process(tmp_path):
    file = tmp_path / "ourplace.toml"
    text = ior(64, [800.0, 900.0]).replace("aggregate filesize  : 32 GiB", "aggregate filesize  : 0 bytes")
    file.write_text(profile_of("ourplace", [("a.txt", read(text))], TODAY, NewSite()).toml)
    assert load(file).rates[0].bytes_per_process is None


def test_equal_runs_in_several_files_are_pooled():
    runs = [(f"{i}.txt", read(ior(64, [500.0 + 100 * i]))) for i in range(5)]
    table = tomllib.loads(profile_of("ourplace", runs, TODAY, NewSite()).toml)["rates"][0]
    assert table["statistic"] == "quartiles"
    assert table["rows"][0]["median"] == 700.0
    assert (table["source"]["section"], table["source"]["also"]) == ("0.txt", ["1.txt", "2.txt", "3.txt", "4.txt"])


@pytest.mark.parametrize(
    ("order", "statistic"), [("no tasks offsets", "range"), ("constant task offset = 1", "maximum")]
)
def test_what_a_rank_may_have_read_from_memory_decides_nothing(order, statistic):
    made = profile_of(
        "ourplace", [("ior.txt", read(ior(64, [9000.0, 9100.0], order=order, ways="write read")))], TODAY, NewSite()
    )
    tables = {t["direction"]: t["statistic"] for t in tomllib.loads(made.toml)["rates"]}
    assert tables == {"write": "maximum", "read": statistic}


def test_the_stripes_are_those_of_the_directory_that_the_file_is_in():
    layout = "/work/here\nstripe_count:  8 stripe_size:   1048576 pattern:       raid0 stripe_offset: -1\n"
    results = [("ior.txt", read(ior(64, [800.0, 900.0]))), ("stripes.txt", read(layout))]
    made = tomllib.loads(profile_of("ourplace", results, TODAY, NewSite()).toml)
    assert made["rates"][0]["stripe_count"] == 8
    assert made["rates"][0]["stripe_size_bytes"] == 2**20
    assert made["file_systems"][0]["kind"] == "lustre"


def test_relative_paths_of_benchio_are_on_the_mount_that_is_named():
    made = profile_of("ourplace", results_of("benchio/striped"), TODAY, NewSite(mount="/work"))
    rates = {(t["settings"], t.get("stripe_count")): t["rows"][0]["maximum"] for t in tomllib.loads(made.toml)["rates"]}
    assert rates[("mpiio", 1)] == pytest.approx(0.8781106395 * 1024, abs=0.06)
    assert rates[("mpiio", -1)] == pytest.approx(5.7592168817 * 1024, abs=0.06)


def test_a_known_site_is_extended_and_keeps_what_it_has(tmp_path):
    made = profile_of("archer2", [("ior.txt", read(ior(64, [800.0, 900.0])))], TODAY, NewSite(), toml_of("archer2"))
    before, after = all_sites()["archer2"], tmp_path / "archer2.toml"
    after.write_text(made.toml)
    site = load(after)
    assert {t.id for t in before.rates} < {t.id for t in site.rates}
    assert (site.thresholds, site.file_systems) == (before.thresholds, before.file_systems)
    assert int(site.version) == int(before.version) + 1


def test_measuring_again_takes_the_place_of_the_same_table(tmp_path, monkeypatch):
    file = tmp_path / "ourplace.toml"
    file.write_text(profile_of("ourplace", [("ior.txt", read(ior(64, [800.0, 900.0])))], TODAY, NewSite()).toml)
    monkeypatch.setenv("IOTRIAGE_SITES", str(file))
    new = [("new.txt", read(ior(64, [500.0, 600.0]))), ("more.txt", read(ior(128, [1500.0, 1600.0])))]
    again = tomllib.loads(profile_of("ourplace", new, TODAY, NewSite(), file.read_text()).toml)
    assert [t["rows"] for t in again["rates"]] == [
        [{"processes": 64, "maximum": 600.0}, {"processes": 128, "maximum": 1600.0}]
    ]
    assert len(again["documents"]) == 1


def test_more_results_join_the_table_and_a_single_one_stands_beside_it(tmp_path, monkeypatch):
    file = tmp_path / "ourplace.toml"
    file.write_text(profile_of("ourplace", [("a, b.txt", read(ior(64, [800.0, 900.0])))], TODAY, NewSite()).toml)
    monkeypatch.setenv("IOTRIAGE_SITES", str(file))
    more = [("b.txt", read(ior(128, [1500.0, 1600.0])))]
    joined = tomllib.loads(profile_of("ourplace", more, TODAY, NewSite(), file.read_text()).toml)["rates"]
    assert [(t["statistic"], [r["processes"] for r in t["rows"]]) for t in joined] == [("maximum", [64, 128])]
    assert (joined[0]["source"]["section"], joined[0]["source"]["also"]) == ("a, b.txt", ["b.txt"])
    once = [("c.txt", read(ior(128, [1500.0])))]
    beside = tomllib.loads(profile_of("ourplace", once, TODAY, NewSite(), file.read_text()).toml)["rates"]
    assert [(t["statistic"], [r["processes"] for r in t["rows"]]) for t in beside] == [
        ("maximum", [64]),
        ("range", [128]),
    ]
    assert len({t["id"] for t in beside}) == 2
    file.write_text(profile_of("ourplace", once, TODAY, NewSite(), file.read_text()).toml)
    assert {t.rows[0].processes for t in load(file).rates} == {64, 128}


@pytest.mark.parametrize("more", [[1500.0], [1500.0, 1600.0]], ids=["beside", "joined"])
def test_the_other_sections_of_a_source_stay_where_its_table_is_written_again(tmp_path, monkeypatch, more):
    both = [(f"{ranks}.txt", read(ior(ranks, [800.0, 900.0]))) for ranks in (64, 128)]
    document = tomlkit.parse(profile_of("ourplace", both, TODAY, NewSite()).toml)
    document["rates"][0]["source"]["also"] = ["The queue of that day"]
    file = tmp_path / "ourplace.toml"
    file.write_text(tomlkit.dumps(document))
    monkeypatch.setenv("IOTRIAGE_SITES", str(file))
    made = profile_of("ourplace", [("c.txt", read(ior(128, more)))], TODAY, NewSite(), file.read_text()).toml
    kept = next(t for t in tomllib.loads(made)["rates"] if t["rows"][0]["processes"] == 64)
    assert kept["source"]["also"][0] == "The queue of that day"


def test_a_third_extension_joins_what_the_second_put_apart(tmp_path, monkeypatch):
    made = profile_of("ourplace", [("a.txt", read(ior(64, [800.0, 900.0])))], TODAY, NewSite()).toml
    for i, ranks in enumerate((128, 256, 64)):
        file = tmp_path / str(i) / "ourplace.toml"
        file.parent.mkdir()
        file.write_text(made)
        monkeypatch.setenv("IOTRIAGE_SITES", str(file))
        made = profile_of("ourplace", [(f"{i}.txt", read(ior(ranks, [1500.0])))], TODAY, NewSite(), made).toml
    tables = tomllib.loads(made)["rates"]
    assert [(t["statistic"], [r["processes"] for r in t["rows"]]) for t in tables] == [("range", [64, 128, 256])]


def test_a_name_that_cannot_be_an_id_is_refused():
    with pytest.raises(BadNameError, match="lower-case"):
        profile_of("Our Place", [], TODAY, NewSite())


def called(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return int(ended.value.code or 0)


def test_the_command_writes_a_profile_by_which_a_job_is_judged(tmp_path, monkeypatch, capsys):
    (tmp_path / "ior.txt").write_text(ior(64, [800.0, 900.0, 850.0]))
    profile = tmp_path / "ourplace.toml"
    assert (
        called(["sites", "measure", "ourplace", str(tmp_path / "ior.txt"), "--title", "Ours", "-o", str(profile)])
        == DONE
    )
    monkeypatch.setenv("IOTRIAGE_SITES", str(profile))
    (tmp_path / "slow.txt").write_text(ior(64, [200.0]))
    called(["diagnose", str(tmp_path / "slow.txt")])
    assert "Ours measured" in capsys.readouterr().out


def test_the_command_says_what_it_leaves_out(tmp_path, capsys):
    text = SAMPLES / "mpich_stats"
    log = next(text.rglob("*.txt"))
    assert called(["sites", "measure", "ourplace", str(log)]) == NOTHING_READ
    assert "no result of IOR" in capsys.readouterr().err
    assert called(["sites", "measure", "Our Place", str(log)]) == BAD_USE
