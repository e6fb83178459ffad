"""Which site a job is taken to have run on: by what only one has, never by what stands on many machines."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from io import BytesIO

import pytest
from stats_text import extra

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.sites import all_sites, detect, is_on_some_site
from iotriage.sites.detection import SiteClues, matching_clues, site_patterns
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.evidence import Mount
from iotriage_parsers.reader import Limits

NESI = "/nesi/nobackup/x/out.dat"
CSC = "/scratch/project_2001234/out.dat"


@pytest.mark.parametrize(
    ("hosts", "libraries", "paths", "site"),
    [
        (["nid00042"], ["CRAY MPICH version 7.7.0"], [NESI], "maui"),
        (["wbn042"], [], [NESI], "mahuika"),
        ([], [], [NESI], "generic-gpfs"),
        (["c101-001.frontera.tacc.utexas.edu"], [], [], "frontera"),
        (["c101-001.stampede3.tacc.utexas.edu"], [], ["/scratch/1/out.dat"], "stampede3"),
        (["r01c48.mahti.csc.fi"], [], [], "mahti"),
        (["r01c48"], [], [CSC], "mahti"),
        (["roihu-cpu-login2"], [], [CSC], "roihu"),
        ([], [], [CSC], "generic-lustre"),
        (["x3006c0s25b1n0"], ["cray-mpich"], ["/lus/eagle/projects/x/out.dat"], "polaris"),
        (["x4616c3s4b0n0.hostmgmt2616.cm.aurora.alcf.anl.gov"], [], [], "aurora"),
        ([], [], ["/pscratch/sd/u/user/out.dat"], "perlmutter"),
        (["nid001234"], [], ["/pscratch/user/out.dat"], "perlmutter"),
        ([], [], ["/pscratch/user/out.dat", "/global/cfs/cdirs/m1234/in.h5"], "perlmutter"),
        ([], [], ["/scratch1/01234/user/out.dat", "/home1/01234/user/run.in"], "frontera"),
        ([], [], ["/lustre/orion/abc123/scratch/user/out.dat"], "frontier"),
        ([], [], ["/lus/flare/projects/x/out.dat"], "aurora"),
        ([], [], ["/ritom/scratch/out.dat"], "alps"),
        ([], [], ["/glade/derecho/scratch/user/out.dat"], "derecho"),
        ([], [], ["/scratch/pawsey0001/user/out.dat"], "setonix"),
        ([], [], ["/scratch/project_465000123/out.dat"], "lumi"),
        ([], [], ["/fs3/t01/t01/auser/out.dat"], "archer"),
    ],
)
def test_a_site_is_taken_by_what_it_has(hosts, libraries, paths, site):
    assert detect([], paths, hosts, libraries)[0].id == site


@pytest.mark.parametrize(
    ("hosts", "paths"),
    [
        (["nid00042"], []),
        (["nid000012"], ["/work/z19/z19/auser/out.dat"]),
        (["x3006c0s25b1n0", "x4405c0s0b0n0", "wbn042", "maui01", "r01c01", "c101-001"], []),
        (["maui01.example.org", "x4405c0s0b0n0.example.org", "nid000012.example.org"], []),
        ([], ["/scratch/user/out.dat", "/scratch1/user/out.dat", "/lustre/scratch/out.dat", "/work/out.dat"]),
        ([], ["/scratch/user/iops/out.dat", "/scratch/user/bandwidth/out.dat"]),
        ([], ["/fs2/data/out.dat", "/software/projects/out.dat", "/projects/x/out.dat"]),
        ([], ["/pscratch/user/out.dat"]),
        (["cn042"], ["/pscratch/user/out.dat", "/home/user/in.dat"]),
        ([], ["/scratch1/01234/user/out.dat"]),
        ([], ["/scratch/project_46/out.dat", "/flash/out.dat", "/global/cscratch1/sd/user/out.dat"]),
    ],
)
def test_what_stands_on_many_machines_takes_none(hosts, paths):
    for library in ([], ["cray-mpich/8.1.25"]):
        assert detect([], paths, hosts, library)[0].id == "generic"


@pytest.mark.parametrize("mounts", [["/lus/eagle", "/lus/grand", "/lus/theta-fs0"], ["/lus/theta-fs0", "/lus/eagle"]])
def test_what_only_theta_mounted_goes_before_what_polaris_mounts_too(mounts):
    site, because = detect([Mount(path, "lustre") for path in mounts], ["//1053204904"])
    assert site.id == "theta"
    assert "Polaris" not in because


def test_what_a_file_is_on_goes_before_what_is_mounted():
    mounts = [Mount("/lus/flare", "lustre"), Mount("/lus/theta-fs0", "lustre")]
    assert detect(mounts, ["/lus/theta-fs0/projects/x/out.dat"])[0].id == "theta"
    assert detect(mounts, ["/lus/flare/projects/x/out.dat"])[0].id == "aurora"
    assert detect(mounts, ["/home/x/out.dat"])[0].id == "generic-lustre"


def test_where_two_are_as_likely_both_are_named_and_neither_is_taken():
    site, because = detect([Mount("/scratch", "lustre")], [CSC])
    assert site.id == "generic-lustre"
    assert all(title in because for title in ("/scratch/project_2001234", "Mahti (CSC)", "Roihu (CSC)"))


def test_what_speaks_for_no_site_is_left_out_by_whatever_expression():
    theirs = ("/lus/a", "(?i)/DATA/", r"/(x|y)\d/\1", "/(p|q)s/", r"/(?P<of>v)\d/(?P=of)")
    here = replace(all_sites()["generic"], id="here", detect_paths=theirs, detect_hosts=("nid",))
    files = ["/home/lus/a", "/lus/abc", "/data/f", "/x1/x", "/x1/y", "/qs/f", "/v1/v", "/v1/w"]
    tells = site_patterns([here, all_sites()["archer2"]])
    found = matching_clues(tells, SiteClues(files, ["/mnt"], ["nid01.hpc", "login"], ("mpich",)))
    assert (found.files, found.mounts) == (["/lus/abc", "/data/f", "/x1/x", "/qs/f", "/v1/v"], ())
    assert (found.hosts, found.full_hosts, found.libraries) == (["nid01.hpc"], ("nid01.hpc",), ("mpich",))


def test_a_name_that_others_have_too_takes_no_site_and_says_what_would_settle_it():
    site, because = detect([Mount("/pscratch", "lustre")], ["/pscratch/user/out.dat"])
    assert site.id == "generic-lustre"
    assert "Perlmutter (NERSC)" in because
    assert "node" in because


@pytest.mark.parametrize(
    "text",
    [
        "PE 0: MPIIO hints for /lustre/orion/abc123/scratch/u/f.h5:\n          cb_nodes                 = 8\n",
        "/lustre/orion/abc123/scratch/u/f\nlmm_stripe_count:  1\nlmm_stripe_size:   1048576\nlmm_pattern:       raid0\n"
        "lmm_layout_gen:    0\nlmm_stripe_offset: 19\n",
        "ADIOI_CRAY_WRITECONTIG(288): filename='/lustre/orion/abc123/scratch/u/f.h5'  error='Disk quota exceeded'  "
        "errno=122  PE=00017  W_rec=00000  off=0000000000  len=0000004096  See MPICH_MPIIO_ABORT_ON_RW_ERROR.\n",
        "OSError: [Errno 122] Disk quota exceeded: '/lustre/orion/abc123/scratch/u/f.npy'\n",
        "#!/bin/bash\n#SBATCH --nodes=4\ncd /lustre/orion/abc123/scratch/u\ncd run\nsrun -n 32 ./app\n",
        "#!/bin/bash\n#SBATCH --nodes=4\nlfs setstripe -c 8 /lustre/orion/abc123/scratch/u\nsrun -n 32 ./app\n",
        "#!/bin/bash\n#SBATCH --nodes=4\nsrun -n 32 ./app --output=/lustre/orion/abc123/scratch/u/out\n",
        "Job ID: 712\nCluster: frontier\nUser/Group: u/g\nState: COMPLETED (exit code 0)\nNodes: 2\n"
        "Job Wall-clock time: 00:06:22\n",
    ],
)
def test_what_texts_name_takes_the_site(text):
    assert site_of(text).id == "frontier"


@pytest.mark.parametrize(
    ("text", "site"),
    [
        ("#PBS -l select=4:system=polaris\n", "polaris"),
        ("#PBS -l select=4\n#PBS -l walltime=1:00:00,filesystems=home:eagle\n", "polaris"),
        ("#PBS -l select=4\n#PBS -l filesystems=home:flare\n", "aurora"),
        ("#PBS -l select=4\n#PBS -l filesystems=home\n", "generic"),
        ("#PBS -l select=4:system=crux\n", "generic"),
        ("#PBS -q main@desched1\n#PBS -l select=4\n", "derecho"),
        ("#PBS -q main\n#PBS -l select=4\n", "generic"),
        ("#SBATCH --nodes=4\n#SBATCH --account=project_465000123\n", "lumi"),
        ("#SBATCH --nodes=4\n#SBATCH -A pawsey0001-gpu\n", "setonix"),
        # Of CSC's machines two have such accounts; what else is called so is nobody's.
        ("#SBATCH --nodes=4\n#SBATCH -A project_2001234\n", "generic"),
        ("#SBATCH --nodes=4\n#SBATCH -A project_46\n", "generic"),
    ],
)
def test_what_a_scheduler_is_asked_for_takes_the_site(text, site):
    assert site_of(f"#!/bin/bash\n{text}mpiexec -n 32 ./app\n").id == site


@pytest.mark.parametrize(
    ("job", "place", "site"),
    [
        ("12.desched1", "dec0012/0*128", "derecho"),
        ("12.polaris-pbs-01.hsn.cm.polaris.alcf.anl.gov", "x3006c0s13b1n0/0*64", "polaris"),
        ("12.pbs01", "(x3006c0s13b1n0.hsn.cm.polaris.alcf.anl.gov/0*64)+(b/0*64)", "polaris"),
        ("12.pbs01", "dec0012/0*128+dec0013/0*128", "generic"),
    ],
)
def test_what_qstat_prints_takes_the_site(job, place, site):
    assert site_of(f"Job Id: {job}\n    Job_Name = a\n    job_state = F\n    exec_host = {place}\n").id == site


def test_where_a_script_was_before_or_after_its_program_ran_says_nothing():
    for script in (
        "cd /lustre/orion/abc123/src\ncd $SLURM_SUBMIT_DIR\nsrun -n 32 ./app\n",
        "srun -n 32 ./app\ncd /lustre/orion/abc123/archive\n",
    ):
        assert site_of(f"#!/bin/bash\n#SBATCH --nodes=4\n{script}").id == "generic"


def test_the_name_of_a_cluster_gives_way_to_a_path_and_takes_no_site_of_another_scheduler():
    assert detect([], ["/lustre/orion/x/out.dat"], clusters=["lumi"])[0].id == "frontier"
    assert detect([], [], clusters=["aurora"])[0].id == "generic"
    assert detect([], [NESI], clusters=["maui"])[0].id == "maui"
    site, because = detect([], [], clusters=["archer2"])
    assert (site.id, because) == ("archer2", "Slurm calls the cluster archer2, so this is ARCHER2 (EPCC)")


def test_every_named_site_can_be_found_and_the_generic_ones_by_no_name():
    for site in all_sites().values():
        named = (*site.detect_paths, *site.detect_shared_paths, *site.detect_common_paths, *site.detect_hosts)
        assert bool(named) == (site.status != "generic"), site.id


def site_of(text):
    content = text.encode()
    given = ReadSource(
        "a.txt", hashlib.sha256(content).hexdigest(), len(content), read_or_unpack(BytesIO(content), Limits())
    )
    return diagnose([given], None).site


IOR = """\
IOR-3.2.0: MPI Coordinated Test of Parallel I/O
Began               : Fri Nov  9 21:36:51 2018
Command line        : ior -w -a MPIIO -o /work/t01/t01/auser/ior_file
Machine             : Linux nid04914
TestID              : 0
StartTime           : Fri Nov  9 21:36:51 2018
Path                : {path}
FS                  : 1344.2 TiB   Used FS: 58.5%   Inodes: 1890.6 Mi   Used Inodes: 5.4%

Options:
api                 : MPIIO
test filename       : /work/t01/t01/auser/ior_file
access              : file-per-process
tasks               : 80
"""

JOB = """\
JobId=7204411 JobName=plume
   UserId=auser(1001) GroupId=auser(1001) MCS_label=N/A
   JobState=COMPLETED Reason=None Dependency=(null)
   RunTime=00:12:00 TimeLimit=01:00:00 TimeMin=N/A
   NodeList={nodes}
   NumNodes=4 NumCPUs=512 NumTasks=512 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
   WorkDir=/scratch/project_2001234/auser
"""


@pytest.mark.parametrize(
    ("text", "site"),
    [
        (IOR.format(path="/fs3/t01/t01/auser"), "archer"),
        (IOR.format(path="/work/t01/t01/auser"), "generic"),
        (JOB.format(nodes="r01c[01-04]"), "mahti"),
        (JOB.format(nodes="r01c[01-04].mahti.csc.fi"), "mahti"),
        (JOB.format(nodes="nid[000012-000015]"), "generic-lustre"),
    ],
)
def test_benchmarks_and_schedulers_name_paths_and_nodes(text, site):
    assert site_of(text).id == site


OTHERS = extra("logs")
LOGS = sorted(OTHERS.glob("*.darshan")) if OTHERS is not None else []

RAN_AT = {
    "e3sm_io_heatmap_only": "theta",
    "h5par-comparison": "polaris",
    "imbalanced-io": "theta",
    "mpi-io-test-x86_64-3.4.6": "polaris",
    "mpi-io-test-x86_64-3.5.0": "polaris",
    "snyder_ior-DFS": "aurora",
    "snyder_python3": "polaris",
}
"""The systems of the logs of others that have a profile, by the beginning of the file's name."""

RAN_ELSEWHERE = (
    "cache_demo", "eclipse-ior", "empty_log", "hdf5_diagonal", "jeanbez", "jlbez", "laytonjb", "mpi-io-test",
    "nonmpi_dxt", "noposix", "partial_data", "sample", "shane", "treddy",
)  # fmt: skip
"""Those that ran on Cori, Eclipse, Edison, Mira, Summit, machines of Los Alamos, or laptops. Of a log that
stands in neither table it is known only that a profile is taken for a reason that the log gives."""


@pytest.mark.skipif(not LOGS, reason="the logs of others are not there")
@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem[:40])
def test_the_logs_of_others_are_theirs_or_nobodys(log):
    with log.open("rb") as stream:
        given = ReadSource(log.name, "0" * 64, log.stat().st_size, read_or_unpack(stream, Limits()))
    used = diagnose([given], None).site
    status = all_sites()[used.id].status
    assert used.because
    assert status == "generic" or used.chosen_by == "detected"
    expected = next((site for name, site in RAN_AT.items() if log.name.startswith(name)), None)
    if expected is not None:
        assert used.id == expected
    elif log.name.startswith(RAN_ELSEWHERE):
        assert status == "generic"


@pytest.mark.parametrize("path", ["/scratch/p/out", "/scratch/p/iops/out", "/lustre/run/out", "relative", ""])
def test_a_path_is_on_some_site_where_one_of_the_sites_has_it(path: str) -> None:
    assert is_on_some_site(path) == any(site.file_system_of(path) is not None for site in all_sites().values())
