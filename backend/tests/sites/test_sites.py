"""The centres' profiles: found by evidence that only they have, and refused when they are bad."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from iotriage import sites
from iotriage.rules.core.documents import DOCUMENTS
from iotriage.sites import OWN_SITES, BadSiteError, all_sites, detect, kind_on, load, load_all
from iotriage.sites.profile import load_valid
from iotriage.sites.site import Site
from iotriage.sites.validation import line_of, numbered
from iotriage_parsers.evidence import Mount

SHIPPED = sorted(Path(sites.__file__).parent.glob("*.toml"))

GOOD = """
id = "here"
title = "Here"
status = "current"
checked = "2026-11-20"
version = "1"
detect_paths = ['^/lus/here/']
shared_file_stripe_count = -1

[[file_systems]]
id = "scratch"
title = "Scratch"
kind = "lustre"
mounts = ['^/lus/here/']
osts = 24
manual_striping = "discouraged"

[file_systems.source]
document = "csc-io"
section = "Lustre"
says = "24 OSTs."

[[thresholds]]
threshold = "ssf-understriped.stripes"
value = 8
why = "Measured here."

[thresholds.source]
document = "project"
section = "measured"
says = "Eight."

[[environment]]
pattern = "shared-collective"
text = "Set this."
lines = ["export A=1"]

[environment.source]
document = "csc-io"
section = "Lustre"
says = "Set it."
"""

RATES = """
[[rates]]
id = "ssf"
title = "Collective, all OSTs"
file_systems = ["scratch"]
pattern = "shared-collective"
direction = "write"
statistic = "maximum"
unit = "MiB/s"
measured = "2020"
stripe_count = -1
rows = [
    # more than one row
    { processes = 24, maximum = 662 },
    { processes = 48, maximum = 1311 },
]

[rates.source]
document = "csc-io"
section = "Lustre"
says = "Measured."
"""


def written(folder, text, name="here.toml"):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_good_profile_is_read(tmp_path):
    site = load(written(tmp_path, GOOD))
    assert (site.id, site.shared_file_stripe_count, site.version) == ("here", -1, "1")
    assert (site.file_systems[0].osts, site.file_systems[0].manual_striping) == (24, "discouraged")
    assert site.thresholds[0].value == 8.0
    assert site.environment[0].lines == ("export A=1",)
    assert load_all([tmp_path / "here.toml"]) == {"here": site}


@pytest.mark.parametrize(
    ("old", "new", "key", "reason"),
    [
        ('id = "here"', "", "id", "is missing"),
        ('id = "here"', 'id = "Here!"', "id", "lower-case"),
        ('id = "here"', "id = 7", "id", "text"),
        ('title = "Here"', 'title = ""', "title", "not empty"),
        ('status = "current"', 'status = "open"', "status", "one of current, retired, generic"),
        ('checked = "2026-11-20"', 'checked = "yesterday"', "checked", "date"),
        ('checked = "2026-11-20"', "checked = 2026-11-20", "checked", "text"),
        ('version = "1"', 'version = "1"\ncolour = "red"', "colour", "not a key"),
        ('version = "1"', 'version = "1"\nnode_cores = { cores = 56 }', "node_cores.source", "is missing"),
        ('version = "1"', 'version = "1"\nkind = "tape"', "kind", "one of lustre"),
        ('version = "1"', 'version = "1"\nnot_for_jobs = ["/general"]', "not_for_jobs", "begin and end with /"),
        (
            'version = "1"',
            'version = "1"\nstripes_of_few_ranks = { below_ranks = 96, stripe_count = 4 }',
            "stripes_of_few_ranks.why",
            "is missing",
        ),
        ("['^/lus/here/']\nshared", "['^/lus/(here/']\nshared", "detect_paths", "not a regular expression"),
        ("['^/lus/here/']\nshared", "['here']\nshared", "detect_paths", "must begin with ^/"),
        ("['^/lus/here/']\nshared", "['^/']\nshared", "detect_paths", "name a directory"),
        ("['^/lus/here/']\nshared", "'^/lus/here/'\nshared", "detect_paths", "list"),
        (
            "shared_file_stripe",
            "detect_shared_paths = ['^scratch']\nshared_file_stripe",
            "detect_shared_paths",
            "begin with ^/",
        ),
        (
            "shared_file_stripe",
            "detect_hosts = ['^n[0-9]+']\nshared_file_stripe",
            "detect_hosts",
            "begin with ^ and end with $",
        ),
        (
            "shared_file_stripe",
            "detect_hosts = ['n(1$']\nshared_file_stripe",
            "detect_hosts",
            "not a regular expression",
        ),
        ("count = -1", "count = 0", "shared_file_stripe_count", "−1 for all OSTs"),
        ("count = -1", "count = -2", "shared_file_stripe_count", "at least -1"),
        ("count = -1", "count = true", "shared_file_stripe_count", "whole number"),
        ('kind = "lustre"', 'kind = "luster"', "file_systems[0].kind", "one of lustre"),
        ("osts = 24", "osts = 0", "file_systems[0].osts", "at least 1"),
        ("osts = 24", 'osts = "24"', "file_systems[0].osts", "whole number"),
        ("osts = 24", "default_stripe_size_bytes = 1", "file_systems[0].default_stripe_size_bytes", "at least 65536"),
        ("mounts = ['^/lus/here/']", "mounts = []", "file_systems[0].mounts", "at least 1"),
        ('"discouraged"', '"never"', "file_systems[0].manual_striping", "one of yes"),
        ('says = "24 OSTs."', "", "file_systems[0].source.says", "is missing"),
        ("value = 8", "value = nan", "thresholds[0].value", "number"),
        ("value = 8", "value = true", "thresholds[0].value", "number"),
        ('why = "Measured here."', "", "thresholds[0].why", "is missing"),
        ('pattern = "shared-collective"', 'pattern = "shared"', "environment[0].pattern", "one of serial"),
        ('lines = ["export A=1"]', "lines = [1]", "environment[0].lines", "texts"),
    ],
)
def test_a_bad_profile_is_refused_with_file_key_and_reason(tmp_path, old, new, key, reason):
    assert GOOD.count(old) == 1
    file = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(BadSiteError) as refused:
        load(file)
    where, at, why = str(refused.value).split(": ", 2)
    assert at == key
    assert reason in why
    path, line = where.rsplit(":", 1)
    assert path == str(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    named = key.rsplit(".", 1)[-1]
    if reason == "is missing":
        opened = key.rsplit(".", 1)[0].split("[")[0] if "." in key else None
        assert opened is None or opened in lines[int(line) - 1], "the line of the table that lacks the key"
    else:
        assert lines[int(line) - 1].lstrip().startswith(f"{named} ="), "the line of the key"


def test_figures_need_a_source(tmp_path):
    without = re.sub(r"\[file_systems\.source\][^\[]*", "", GOOD)
    with pytest.raises(BadSiteError, match=re.escape("file_systems[0].source: is missing")):
        load(written(tmp_path, without))


def test_the_same_threshold_twice_is_refused(tmp_path):
    override = GOOD[GOOD.index("[[thresholds]]") : GOOD.index("[[environment]]")]
    with pytest.raises(BadSiteError, match="stands twice"):
        load(written(tmp_path, GOOD + override))


@pytest.mark.parametrize("content", [b"id = ", b"\xff\xfe", b"[[["])
def test_what_is_not_toml_is_refused(tmp_path, content):
    file = tmp_path / "here.toml"
    file.write_bytes(content)
    with pytest.raises(BadSiteError, match=r"here\.toml:1: file: not TOML"):
        load(file)


def test_the_id_is_the_name_of_the_file(tmp_path):
    with pytest.raises(BadSiteError, match="not the name of the file"):
        load_all([written(tmp_path, GOOD, "there.toml")])


def test_the_shipped_profiles_are_good():
    assert {"generic", "generic-lustre", "generic-gpfs", "archer", "archer2", "theta", "maui"} <= set(all_sites())


def test_a_file_of_rates_is_read_and_its_bad_rows_are_named_by_line(tmp_path):
    site = load(written(tmp_path, GOOD + RATES))
    (rates,) = site.rates
    assert [(r.processes, r.rate) for r in rates.rows] == [(24, 662 * 2**20), (48, 1311 * 2**20)]
    assert (rates.stripe_count, rates.source.retrieved) == (-1, "2026-11-20")
    for old, new, line_begins, reason in (
        ("maximum = 1311", "maximum = 0", "{ processes = 48", "must be above zero"),
        ("processes = 48", "processes = 24", "rows = [", "rising number of processes"),
        ("maximum = 662", "median = 662", "{ processes = 24", "is missing"),
        ('file_systems = ["scratch"]', 'file_systems = ["home"]', "file_systems =", "no file system of this profile"),
        ('unit = "MiB/s"', 'unit = "furlongs"', "unit =", "must be one of MiB/s"),
    ):
        text = GOOD + RATES.replace(old, new)
        with pytest.raises(BadSiteError, match=reason) as refused:
            load(written(tmp_path, text))
        line = int(str(refused.value).split(":")[1])
        assert text.splitlines()[line - 1].lstrip().startswith(line_begins), str(refused.value)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda f: f.stem)
def test_a_shipped_profile_is_valid_and_read_without_validation_is_the_same(file):
    assert repr(load(file)) == repr(load_valid(file))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('threshold = "ssf-understriped.stripes"', 'id = "ssf-understriped.stripes"', "thresholds[0]"),
        ('checked = "2026-11-20"', "", "checked: is missing"),
        ("value = 8", 'value = "8"', "thresholds[0].value: must be a number"),
        ('kind = "lustre"', 'type = "lustre"', "file_systems[0]"),
        ("[[file_systems]]", "[file_systems]", "file_systems: must be a list"),
    ],
)
def test_a_profile_that_was_taken_for_valid_and_is_not_says_its_file_and_key(tmp_path, old, new, said):
    """Whoever adds a profile to the shipped ones learns this from the first command."""
    file = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(BadSiteError, match=rf"^{re.escape(str(file))}:\d+: {re.escape(said)}"):
        load_valid(file)


def test_reading_the_shipped_profiles_costs_no_pydantic():
    program = "import sys; from iotriage.sites import all_sites; all_sites(); print('pydantic' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout == "False\n"


@pytest.mark.parametrize("file", SHIPPED, ids=lambda f: f.stem)
def test_every_key_of_a_shipped_profile_has_its_line(file):
    text = file.read_text(encoding="utf-8")
    document, lines = numbered(text), text.splitlines()

    def check(at, value):
        for key, inner in value.items():
            path = (*at, key)
            assert key in lines[line_of(document, path) - 1]
            if isinstance(inner, dict):
                check(path, inner)
            elif isinstance(inner, list) and inner and isinstance(inner[0], dict):
                for i, table in enumerate(inner):
                    assert ("{" if key == "rows" else f"[[{key}]]") in lines[line_of(document, (*path, i)) - 1]
                    if key != "rows":
                        check((*path, i), table)

    check((), tomllib.loads(text))


def test_lines_are_found_around_strings_and_comments_that_look_like_toml():
    text = (
        'a = """\n[not.a.table]\nb = 1\n"""\n# c = 2\n'
        "[t] # [[u]]\nd = '=['\n[[t.v]]\ne = [\n  { f = 1 },\n  { f = 2 },\n]\n"
    )
    document = numbered(text)
    v = ("t", "v", 0)
    at = [("a",), ("t",), ("t", "d"), v, (*v, "e"), (*v, "e", 0), (*v, "e", 1)]
    assert [line_of(document, place) for place in at] == [1, 6, 7, 8, 9, 10, 11]
    assert line_of(document, ("b",)) == 1
    assert line_of(document, (*v, "e", 1, "g")) == 11
    assert line_of(document, ("nowhere",)) == 1


@pytest.mark.parametrize(
    ("text", "at", "line"),
    [
        ("[a]\nb = 1\n[c]\n[a.d]\ne = 2\n", ("a", "d", "e"), 1),
        ("[[a]]\nb = 1\n[[c]]\n[[a]]\nb = 2\n", ("a", 1, "b"), 5),
        ("a = [{}]\nb = [1]\n", ("a", 0, "b"), 1),
        ("x = 1\n[a.b]\nc = 1\n", ("a", "d"), 2),
        ("x = true\ny = [true]\n", ("y", 0), 2),
        ("x = 1\ny = {}\n", ("y",), 2),
        ("x = 1\ny = { z = 1 }\n", ("y", "a"), 2),
        ("x = 1\ny = [\n  {},\n]\n", ("y", 0, "a"), 2),
    ],
)
def test_a_line_is_found_in_toml_of_any_order(text, at, line):
    assert tomllib.loads(text)
    assert line_of(numbered(text), at) == line


def test_an_installations_own_profile_is_added_and_takes_the_place_of_a_shipped_one(tmp_path, monkeypatch):
    written(tmp_path, GOOD)
    written(tmp_path, GOOD.replace('id = "here"', 'id = "archer"'), "archer.toml")
    monkeypatch.setenv(OWN_SITES, str(tmp_path))
    assert all_sites()["here"].title == "Here"
    assert all_sites()["archer"].title == "Here"
    assert list(all_sites()) == sorted(all_sites())
    monkeypatch.setenv(OWN_SITES, str(tmp_path / "here.toml"))
    assert all_sites()["archer"].title == "ARCHER (EPCC)"
    assert detect([Mount("/lus/here/x", "lustre")], [])[0].id == "here"


def test_an_own_profile_comes_before_a_shipped_one_that_the_evidence_speaks_for_too(tmp_path, monkeypatch):
    path = "/lustre/orion/abc/scratch/out.dat"
    assert detect([], [path])[0].id == "frontier"
    written(tmp_path, GOOD.replace("detect_paths = ['^/lus/here/']", "detect_paths = ['^/lustre/']"))
    monkeypatch.setenv(OWN_SITES, str(tmp_path))
    assert detect([], [path], ["x"], ["cray-mpich"])[0].id == "here"


def test_an_own_profile_that_is_not_there_or_bad_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv(OWN_SITES, str(tmp_path / "nothing"))
    with pytest.raises(BadSiteError, match="names no file and no folder"):
        all_sites()
    bad = written(tmp_path, GOOD.replace("osts = 24", "osts = 0"), "bad.toml")
    monkeypatch.setenv(OWN_SITES, str(bad))
    with pytest.raises(BadSiteError, match=re.escape(f"{bad}:15: file_systems[0].osts: must be")):
        all_sites()


@pytest.mark.parametrize(
    ("kind", "site"), [("gpfs", "generic-gpfs"), ("mmfs", "generic-gpfs"), ("lustre_lite", "generic-lustre")]
)
def test_a_parallel_file_system_without_a_name_has_a_profile(kind, site):
    assert detect([Mount("/p/scratch", kind)], [])[0].id == site


@pytest.mark.parametrize(
    ("mounts", "paths", "site"),
    [
        ([("/mnt/lustre/a2fs-work3", "lustre")], [], "archer2"),
        ([], ["/mnt/lustre/a2fs-nvme/work/z19/out.dat"], "archer2"),
        ([("/work", "lustre")], ["/work/z19/z19/auser/out.dat"], "generic-lustre"),
        ([("/lus/theta-fs0", "lustre"), ("/", "ext4")], ["/lus/theta-fs0/out.dat"], "theta"),
        ([("/fs3/z01", "lustre")], [], "archer"),
        ([("/lus/fs0", "lustre"), ("/", "ext4")], ["/lus/fs0/out.dat"], "generic-lustre"),
        ([("/scratch", "xfs"), ("/", "ext4")], ["/scratch/out.dat"], "generic"),
        ([("/gpfs", "gpfs")], ["/gpfs/mnt/lustre/a2fs-work/out.dat"], "generic-gpfs"),
        ([], [], "generic"),
        ([], ["3073605787", "\x1b[0m\n"], "generic"),
    ],
)
def test_a_site_is_taken_on_evidence_that_only_it_has(mounts, paths, site):
    found, because = detect([Mount(*m) for m in mounts], paths)
    assert found.id == site
    assert because
    assert because.isprintable()


@pytest.mark.parametrize(
    ("site", "mounts", "path", "kind"),
    [
        ("generic", [("/lus", "lustre"), ("/", "ext4")], "/lus/run/out.dat", "lustre"),
        ("generic", [("/scratch", "xfs"), ("/", "ext4")], "/scratch/out.dat", "local"),
        ("generic", [("/p", "gpfs")], "/p/out.dat", "gpfs"),
        ("generic", [("/p", "nfs4")], "/p/out.dat", "nfs"),
        ("generic", [("/p", "wekafs")], "/p/out.dat", "weka"),
        ("generic", [("/p", "fhgfs")], "/p/out.dat", "beegfs"),
        ("generic", [("/p", "dfuse")], "/p/out.dat", "daos"),
        ("generic", [("/p", "dvs")], "/p/out.dat", "unknown"),
        ("generic", [("/lus", "lustre"), ("/lus/home", "nfs")], "/lus/home/out.dat", "nfs"),
        ("generic", [("/lus", "lustre")], "/lustre/out.dat", "unknown"),
        ("generic", [("/lus", "lustre"), ("/", "ext4")], "/work/link/out.dat", "unknown"),
        ("generic", [("/", "ext4")], "/work/out.dat", "local"),
        ("generic", [], "/work/out.dat", "unknown"),
        ("generic", [], "/localscratch/4711/out.dat", "local"),
        ("generic", [("/lus", "lustre"), ("/", "ext4")], "/mnt/bb/u/out.dat", "local"),
        ("generic", [("/nvme", "lustre")], "/nvme/out.dat", "lustre"),
        ("generic", [("/lus", "lustre"), ("/", "ext4")], "/scratch/local-runs/out.dat", "unknown"),
        ("generic", [("/", "ext4")], "3073605787", "unknown"),
        ("archer2", [("/", "ext4")], "/work/z19/z19/auser/out.dat", "lustre"),
        ("archer2", [("/home", "nfs")], "/home/z19/out.dat", "nfs"),
        ("archer2", [], "/home/z19/out.dat", "unknown"),
    ],
)
def test_the_kind_of_file_system_is_the_profiles_or_the_nearest_mounts(site, mounts, path, kind):
    assert kind_on(all_sites()[site].file_system_of(path), [Mount(*m) for m in mounts], path) == kind


def test_archer2_tells_its_file_systems_apart():
    archer2 = all_sites()["archer2"]
    nvme = archer2.file_system_of("/mnt/lustre/a2fs-nvme/work/z19/out.dat")
    disk = archer2.file_system_of("/mnt/lustre/a2fs-work2/z19/out.dat")
    assert (nvme.id, nvme.osts) == ("nvme", None)
    assert (disk.id, disk.osts, disk.default_stripe_count) == ("work", 12, 1)


def test_a_folder_of_the_node_is_local_unless_something_is_mounted_there():
    generic = all_sites()["generic"]
    beside = [Mount("/", "unknown"), Mount("/scratch", "lustre")]
    assert kind_on(generic.file_system_of("/tmp/me/out.h5"), beside, "/tmp/me/out.h5") == "local"
    assert (
        kind_on(generic.file_system_of("/tmp/me/out.h5"), [*beside, Mount("/tmp", "lustre")], "/tmp/me/out.h5")
        == "lustre"
    )
    assert kind_on(generic.file_system_of("/tmp/me/out.h5"), beside, "/tmpfiles/out.h5") == "unknown"


@pytest.mark.parametrize(
    "site", [site for site in all_sites().values() if site.status != "generic"], ids=lambda s: s.id
)
def test_what_runs_jobs_at_a_site_has_a_source(site: Site) -> None:
    """Of ARCHER, which is retired, no document was found."""
    assert site.scheduler is not None
    assert site.launcher is not None
    assert (site.running_jobs is None) == (site.id == "archer")
    assert site.running_jobs is None or site.running_jobs.document in DOCUMENTS
