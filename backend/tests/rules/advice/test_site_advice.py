"""What is typed about stripes at each centre: its own numbers and pools, and nothing where there is nothing to set."""

from __future__ import annotations

from dataclasses import replace

import pytest
from declared import GIB, context

from iotriage.rules import all_rules
from iotriage.rules.core.advice import advice_text
from iotriage.sites import all_sites

SHARED = {"job.nprocs": 512, "io.pattern": "shared-collective", "file.stripe_count": 1, "io.bytes_written": GIB}
AT = {
    "alps": "/capstor/scratch/cscs/user",
    "archer": "/fs3/t01/t01/user",
    "archer2": "/mnt/lustre/a2fs-work2/work/z19/z19/user",
    "aurora": "/lus/flare/projects/x",
    "derecho": "/glade/derecho/scratch/user",
    "frontera": "/scratch1/01234/user",
    "frontier": "/lustre/orion/abc123/scratch/user",
    "lumi": "/scratch/project_465000001",
    "mahti": "/scratch/project_2001234",
    "perlmutter": "/pscratch/sd/u/user",
    "polaris": "/lus/eagle/projects/x",
    "roihu": "/scratch/project_2001234",
    "setonix": "/scratch/pawsey0001/user",
    "shaheen3": "/scratch/user/bandwidth",
    "stampede3": "/scratch/01234/user",
    "theta": "/lus/theta-fs0/projects/x",
}


def advised(site, gib, **metrics):
    file = f"{AT[site]}/run/out.dat"
    kind = all_sites()[site].file_system_of(file).kind
    given = context(SHARED | {"file.size": gib * GIB} | metrics, site=site, file=file, file_system=kind)
    return all_rules()["ssf-understriped"].advise(given)


@pytest.mark.parametrize(
    ("site", "gib", "options"),
    [
        ("alps", 1, "-c 32 -S 4M"),
        ("archer", 200, "-c -1"),
        ("archer2", 200, "-c -1"),
        ("aurora", 200, "-c 72"),
        ("derecho", 200, "-c 72"),
        ("frontera", 200, "-c 8"),
        ("frontier", 600, "-c 8 -S 16M -p capacity"),
        ("frontier", 20000, "-c 128 -S 16M -p capacity"),
        ("lumi", 5, "-c 8"),
        ("lumi", 200, "-c 32"),
        ("mahti", 200, "-c 24"),
        ("perlmutter", 5, "-c 8"),
        ("perlmutter", 50, "-c 24"),
        ("perlmutter", 5000, "-c 72"),
        ("polaris", 200, "-c 72"),
        ("roihu", 5, "-c 8"),
        ("roihu", 200, "-c 24"),
        ("shaheen3", 5, "-c 8"),
        ("theta", 200, "-c 48"),
    ],
)
def test_the_command_is_the_sites_own(site, gib, options):
    commands = [a.command for a in advised(site, gib) if a.command and a.command.startswith("lfs ")]
    # Where the site has no stripe size, Lustre's own stands.
    whole = options if " -S " in options else f"{options} -S 1M"
    assert commands == [f"lfs setstripe {whole} {AT[site]}/run"]


@pytest.mark.parametrize(("ranks", "stripes"), [(95, 4), (96, -1)])
def test_few_ranks_have_the_stripes_that_the_profile_gives_them(ranks, stripes):
    few = {"job.nprocs": ranks, "job.nnodes": 2}
    assert advised("archer", 200, **few)[0].command.startswith(f"lfs setstripe -c {stripes} ")
    told = [a.text for a in all_rules()["overstriped-shared"].advise(context(few, site="archer", file="/fs3/t/a"))]
    assert any("Below 96 processes four were best on ARCHER" in text for text in told)


@pytest.mark.parametrize(("site", "at", "known"), [("archer2", "work", True), ("archer2", "nvme", False)])
def test_what_an_ost_gives_is_said_of_the_file_system_that_it_was_measured_on(site, at, known):
    """No document has it of the flash beside those disks."""
    file = {"work": "/work/z19/z19/user/out.dat", "nvme": "/mnt/lustre/a2fs-nvme/work/user/out.dat"}[at]
    said = all_rules()["ssf-understriped"].says(context(SHARED | {"file.size": 200 * GIB}, site=site, file=file))
    assert ("about 1 GB/s at best of an unstriped file, up to 10 GB/s" in said.summary) is known


@pytest.mark.parametrize(
    ("site", "directory", "mount"),
    [
        ("lumi", "/scratch/project_465000001", None),
        ("mahti", "/scratch/project_2001234", None),
        ("theta", "/lus/theta-fs0/projects/plume", None),
        ("polaris", "/eagle/projects/plume", None),
        ("archer2", "/work/z19/z19", None),
        ("archer2", "/mnt/lustre/a2fs-work2/work/z19/z19", None),
        ("generic-lustre", "/lustre/scratch", "/lustre/scratch"),
        ("generic-lustre", "/data/projects/plume", None),
    ],
)
def test_what_others_have_files_in_is_not_striped_nor_copied_whole(site, directory, mount):
    def said(rule, **values):
        given = context(SHARED | {"file.size": 200 * GIB} | values, site=site, file=f"{directory}/out.dat", mount=mount)
        return all_rules()[rule].advise(given)[0]

    for rule in ("ssf-understriped", "ssf-stripe-size"):
        assert said(rule).command.endswith(' "${OUTPUT_DIRECTORY:?the directory in which the job writes}"')
        assert f"what is set for {directory} holds for what others make there, too" in said(rule).text
    read = said("ssf-understriped", **{"io.bytes_read": 200 * GIB, "io.bytes_written": 0})
    assert read.command.endswith(f"&& cp {directory}/out.dat {directory}/striped")
    above = context(SHARED, site=site, file=f"{directory}/me/../out.dat", mount=mount)
    assert "${OUTPUT_DIRECTORY:?" in all_rules()["ssf-stripe-size"].advise(above)[0].command
    own = context(SHARED, site=site, file=f"{directory}/me/out.dat", mount=mount)
    assert all_rules()["ssf-stripe-size"].advise(own)[0].command.endswith(f" {directory}/me")


@pytest.mark.parametrize(
    ("site", "directory", "shared"),
    [
        ("frontier", "/lustre/orion/abc123/proj-shared", True),
        ("frontier", "/lustre/orion/abc123/proj-shared/me", False),
        ("setonix", "/scratch/pawsey0001", True),
        ("lumi", "/scratch/pawsey0001", False),
        ("perlmutter", "/global/projects/plume", True),
        ("perlmutter", "/pscratch/sd/u/user/run", False),
        ("generic", "/gpfs/projects/plume", True),
    ],
)
def test_a_profile_says_how_projects_are_named_and_where_it_does_not_any_such_name_counts(site, directory, shared):
    assert all_sites()[site].is_of_a_project(directory) is shared


def test_theta_is_given_no_more_stripes_than_nodes():
    assert advised("theta", 200, **{"job.nnodes": 16})[0].command.startswith("lfs setstripe -c 16 ")
    assert advised("archer2", 200, **{"job.nnodes": 4})[0].command.startswith("lfs setstripe -c -1 ")


def test_all_osts_of_a_sites_own_rule_are_no_number():
    """A centre's own profile may ask for them, as `lfs setstripe -c -1` does."""
    frontier = all_sites()["frontier"]
    rules = tuple(replace(rule, stripe_count=-1) for rule in frontier.stripe_rules)
    given = context(
        SHARED | {"file.size": 600 * GIB}, site="frontier", file=f"{AT['frontier']}/run/out.dat", file_system="lustre"
    )
    (advice,) = all_rules()["ssf-understriped"].advise(replace(given, site=replace(frontier, stripe_rules=rules)))
    assert "over all OSTs. The documents of" in advice.text
    assert advice.command.startswith("lfs setstripe -c -1 ")


@pytest.mark.parametrize("site", ["frontier", "setonix"])
def test_where_the_layout_is_the_sites_own_nothing_is_typed(site):
    (advice,) = advised(site, 200)
    assert advice.command is None
    assert "ask its support" in advice.text


def test_on_vast_stripes_are_withheld():
    (advice,) = advised("stampede3", 200)
    assert advice_text(advice).startswith("Not advised: striping")


def of_several_sections(site):
    """What the profile has from more than one section of a document."""
    profile = all_sites()[site]
    each = (profile.file_systems, profile.stripe_rules, profile.thresholds, profile.environment)
    return [one.source for of in each for one in of if one.source is not None and one.source.also]


def cited_by(site):
    return {(one.citation.document, one.citation.section) for one in advised(site, 200) if one.citation is not None}


@pytest.mark.parametrize("site", sorted(AT))
def test_nothing_of_a_profile_is_cited_with_the_first_of_its_sections_alone(site):
    assert not cited_by(site) & {(source.document, source.section) for source in of_several_sections(site)}


@pytest.mark.parametrize("site", ["alps", "archer2"])
def test_what_is_cited_of_a_profile_has_all_the_sections_that_it_stands_in(site):
    assert cited_by(site) & {(source.document, source.place) for source in of_several_sections(site)}


@pytest.mark.parametrize("site", sorted(AT))
def test_what_is_set_on_a_directory_that_is_there_can_be_taken_back(site):
    for one in advised(site, 200):
        typed = one.command or ""
        assert ("lfs setstripe -d" in one.text) is typed.startswith("lfs setstripe"), typed


def test_every_path_is_on_a_file_system_of_its_site():
    with_lustre = {s.id for s in all_sites().values() if any(f.kind in ("lustre", "vast") for f in s.file_systems)}
    assert with_lustre == set(AT)


def advised_by(rule, site, file, **metrics):
    given = context({"io.pattern": "file-per-process", "job.nprocs": 4096} | metrics, site=site, file=file)
    return [a.text for a in all_rules()[rule].advise(given)]


def test_the_disk_of_a_node_is_asked_for_as_the_site_has_it():
    (theta,) = all_rules()["node-local-ssd"].advise(context({}, site="theta"))
    assert "--attrs ssds=required:ssd_size=128" in theta.text
    assert "scratch directory to /local/scratch" in theta.text
    (other,) = all_rules()["node-local-ssd"].advise(context({}, site="archer2"))
    assert "$TMPDIR" in other.text
    # The job runs where its inputs are.
    assert theta.command is other.command is None


@pytest.mark.parametrize("rule", ["fpp-many-files", "below-expectation"])
def test_a_file_for_each_process_belongs_where_the_site_measured_more_for_such_files(rule):
    (flash,) = [text for text in advised_by(rule, "archer2", f"{AT['archer2']}/run/out.1") if "NVMe" in text]
    assert "measured 150 GiB/s for them with 2,048 processes, and 90.0 GiB/s here" in flash
    nvme = advised_by(rule, "archer2", "/mnt/lustre/a2fs-nvme/work/z19/z19/user/out.1")
    assert not [text for text in nvme if "its documents measured" in text]
    shared = advised_by(rule, "archer2", f"{AT['archer2']}/run/out", **{"io.pattern": "shared-collective"})
    assert not [text for text in shared if "its documents measured" in text]


@pytest.mark.parametrize(("kind", "told"), [("lustre", True), ("unknown", True), ("local", False), ("nfs", False)])
def test_settings_for_locks_of_lustre_are_for_no_other_file_system(kind, told):
    given = context(SHARED | {"posix.write_fraction": 1.0}, site="archer2", file="/tmp/o.dat", file_system=kind)
    commands = [a.command or "" for a in all_rules()["independent-shared"].advise(given)]
    assert any("cray_cb_write_lock_mode" in command for command in commands) is told


def test_what_a_profile_sets_of_lustre_is_for_lustre():
    """Or for a file system that nobody names."""
    for site in all_sites().values():
        for setting in site.environment:
            if any("cray_cb_" in line for line in setting.lines):
                assert set(setting.kinds) <= {"lustre", "unknown"}, site.id
                assert setting.kinds, site.id


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, True),
        ({"job.nnodes": 4}, True),
        ({"job.nnodes": 1}, False),
        ({"io.bytes_written": 0, "io.bytes_read": GIB}, False),
    ],
)
def test_settings_for_writes_by_several_nodes_are_for_no_other_jobs(values, told):
    given = advised("archer2", 200, **values)
    assert any("FI_OFI_RXM_SAR_LIMIT" in (a.command or "") for a in given) is told
    assert any("cray-mpich-ucx" in (a.command or "") for a in given) is told
