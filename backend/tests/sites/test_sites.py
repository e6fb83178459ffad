"""The centres' profiles: found by evidence that only they have, and refused when they are bad."""

from __future__ import annotations

import re

import pytest

from iotriage.sites import BadSiteError, all_sites, detect, file_system_kind, load, load_all
from iotriage_parsers.evidence import Mount

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
        ("['^/lus/here/']\nshared", "['^/lus/(here/']\nshared", "detect_paths", "not a regular expression"),
        ("['^/lus/here/']\nshared", "['here']\nshared", "detect_paths", "must begin with ^/"),
        ("['^/lus/here/']\nshared", "['^/']\nshared", "detect_paths", "name a directory"),
        ("['^/lus/here/']\nshared", "'^/lus/here/'\nshared", "detect_paths", "list"),
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
    assert (where, at) == (str(file), key)
    assert reason in why


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
    with pytest.raises(BadSiteError, match="not TOML"):
        load(file)


def test_the_id_is_the_name_of_the_file(tmp_path):
    with pytest.raises(BadSiteError, match="not the name of the file"):
        load_all([written(tmp_path, GOOD, "there.toml")])


def test_the_shipped_profiles_are_good():
    assert {"generic", "generic-lustre", "archer", "archer2", "theta"} <= set(all_sites())


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
        ([("/gpfs", "gpfs")], ["/gpfs/mnt/lustre/a2fs-work/out.dat"], "generic"),
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
        ("generic", [("/", "ext4")], "3073605787", "unknown"),
        ("archer2", [("/", "ext4")], "/work/z19/z19/auser/out.dat", "lustre"),
        ("archer2", [("/home", "nfs")], "/home/z19/out.dat", "nfs"),
        ("archer2", [], "/home/z19/out.dat", "unknown"),
    ],
)
def test_the_kind_of_file_system_is_the_profiles_or_the_nearest_mounts(site, mounts, path, kind):
    assert file_system_kind(all_sites()[site], [Mount(*m) for m in mounts], path) == kind


def test_archer2_tells_its_file_systems_apart():
    archer2 = all_sites()["archer2"]
    nvme = archer2.file_system_of("/mnt/lustre/a2fs-nvme/work/z19/out.dat")
    disk = archer2.file_system_of("/mnt/lustre/a2fs-work2/z19/out.dat")
    assert (nvme.id, nvme.osts) == ("nvme", None)
    assert (disk.id, disk.osts, disk.default_stripe_count) == ("work", 12, 1)
