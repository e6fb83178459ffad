"""The stripes of files that only a text tells of: what is asked for already, and what there is. Each was written down
before it was asked."""

from __future__ import annotations

from io import BytesIO

import pytest
from described import MIB, Part, Work, above_info
from printed_by_mpich import GIB, LATE, STORAGE, case, hinted, phases, printed, profile, statistics, takes, written

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.document.metrics import AbsentMetric
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.detect import read


def test_a_job_with_a_file_each_of_which_few_are_shown_spends_what_one_rank_does() -> None:
    """perftools-lite shows ten files of 512, each of one rank that takes 60 s: that is waited for, and not their mean
    over all ranks."""
    shown = tuple((f"out.{i:04d}", 60.0 - i / 100, 60.0, 1, 983040.0) for i in range(10))
    document = case(profile(*shown, run_s=600.0).replace(b"by Filename", b"by Filename (maximum 10 shown)"))
    assert document.headline.rule == "small-io"
    assert takes(document, "small-io") == pytest.approx(60.0, abs=0.1)


def test_files_that_are_smaller_than_a_stripe_are_not_told_to_fill_stripes() -> None:
    fields = {"collective_writes": 0, "independent_writes": 5, "independent_writers": 1, "system_writes": 5}
    small = [statistics(f"meta.{i:04d}", 3600, stripe_sized_writes=0, **fields) for i in range(40)]
    found = {f.rule: f.verdict for f in case(printed(*small)).findings}
    assert found["system-writes-not-stripe-sized"] == "not_applicable"
    large = statistics("large.dat", 50 * GIB, system_writes=90_000, stripe_sized_writes=36_000)
    document = case(printed(large))
    assert above_info(document) == {"system-writes-not-stripe-sized": "medium"}
    (finding,) = (f for f in document.findings if f.rule == "system-writes-not-stripe-sized" and f.says is not None)
    assert not any("striping_unit" in (a.command or "") for a in finding.says.advice), "stripes are of 1 MiB already"
    pieces = {"stripe_size": 16 * MIB, "system_writes": 6144, "ave_system_write_size": 4 * MIB}
    long = case(printed(statistics("large.dat", 24 * GIB, stripe_sized_writes=0, **pieces))).findings
    assert "striping_unit=4194304" in "".join(a.command or "" for f in long if f.says for a in f.says.advice)


ONE_AGGREGATOR = {"aggregators": 1, "stripe_count": 1, "aggregators_active": "512,0,0,0 (1, <= 1, > 1, 1)"}


def test_one_aggregator_is_as_many_as_a_small_file_needs() -> None:
    """What takes the time of many small outputs is their number, and their calls are put together already."""
    counted = ONE_AGGREGATOR | {"collective_writes": 512, "system_writes": 1, "stripe_sized_writes": 0}
    names = [f"step.{i:04d}.h5" for i in range(60)]
    small = [statistics(n, 200_000, **counted) + phases(n, 200_000, 0.2, STORAGE) for n in names]
    document = case(printed(*small))
    assert "single-aggregator" not in above_info(document)
    assert (document.headline.action or "").startswith("Let one file have what several have now")
    assert not any("romio_cb_write" in (a.command or "") for f in document.findings for a in f.advice)
    # Of 4 MiB too, and where the ranks are not printed: nobody knows then how many calls each of them makes.
    counted |= {"collective_writes": 4096, "system_writes": 4, "stripe_sized_writes": 4}
    unknown = case("".join(statistics(n, 4 * 2**20, **counted) for n in names).encode())
    assert unknown.headline.rule == "small-io"
    assert "Where each rank makes one call a file already" in (unknown.headline.action or "")
    known = case(printed(*(statistics(n, 4 * 2**20, **counted) for n in names)))
    assert (known.headline.rule, (known.headline.action or "")[:16]) == ("small-io", "Make fewer calls")
    # Files of some size are another thing, however many there are.
    large = [written(n, 6, STORAGE).replace("= 12\n", "= 1\n", 1) for n in names[:20]]
    assert case(printed(*large)).headline.rule == "single-aggregator"


def test_what_a_file_of_few_bytes_took_may_be_much() -> None:
    """Its rate is printed as 0, so that no clock and no seconds follow from it."""
    alone = {"independent_writes": 4, "collective_writes": 0, "independent_writers": 1, "system_writes": 4}
    block = statistics("hdr.dat", 3600, stripe_sized_writes=0, **alone)
    times = phases("hdr.dat", 3600, 90, {"file write": 0.02, "open/close/trunc": 0.9})
    assert "lost little" in case(printed(block)).headline.sentence
    assert "lost little" not in case(printed(block, times)).headline.sentence


def test_what_a_site_asks_for_comes_before_another_run() -> None:
    """Twelve aggregators on all 12 OSTs of ARCHER2, at a twentieth of what its guide measured."""
    text = printed(statistics("/work/o.dat", 240 * GIB), phases("/work/o.dat", 240 * GIB, 600, STORAGE)).replace(
        b"--nodes=4 --ntasks=512", b"--nodes=32 --ntasks=2048"
    )
    asked = (
        'export FI_OFI_RXM_SAR_LIMIT=64K\nexport MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=2:'
        'cray_cb_nodes_multiplier=4"'
    )

    def at_archer2(*texts: bytes) -> CaseDocument:
        sources = [ReadSource(f"{i}.txt", f"{i}" * 64, len(t), read(BytesIO(t))) for i, t in enumerate(texts)]
        return diagnose(sources, "archer2")

    plain = at_archer2(text).headline
    assert (plain.rule, plain.command) == ("below-expectation", asked)
    # What is set already is not asked for once more.
    script = f"#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=128\n{asked}\nsrun ./app\n"
    assert asked not in str(at_archer2(text, script.encode()).headline.command)


def test_no_more_stripes_are_tried_where_there_are_no_more_osts() -> None:
    text = printed(statistics("/work/o.dat", 240 * GIB), phases("/work/o.dat", 240 * GIB, 400, STORAGE))
    source = ReadSource("job.err", "0" * 64, len(text), read(BytesIO(text)))
    left = diagnose([source], "archer2").unexplained
    assert left is not None
    assert "lies on every OST that there is" in (left.experiment or "")
    elsewhere = diagnose([source], "lumi").unexplained
    assert elsewhere is not None
    assert "run once with more stripes" in (elsewhere.experiment or "")


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("out.h5", "H5Pset_dxpl_mpio"),
        ("out.nc4", "nc_var_par_access"),
        ("out.dat", "MPI_File_write_at_all"),
        ("out.nc", "MPI_File_write_at_all"),
    ],
)
def test_what_a_library_named_its_file_is_cured_in_that_library(name: str, call: str) -> None:
    """No text shows the calls of HDF5; its files are named so. That of netCDF may be PnetCDF's too."""
    alone = {"independent_writes": 5_000_000, "collective_writes": 0, "independent_writers": 512, "aggregators": 0}
    pieces = {"system_writes": 5_000_000, "stripe_sized_writes": 0, "number_of_write_gaps": 4_900_000}
    document = case(printed(statistics(name, 4 * GIB, **alone, **pieces), phases(name, 4 * GIB, 300, STORAGE)))
    assert document.headline.rule == "independent-shared"
    assert call in (document.headline.command or "")


def striped_by(lines: str) -> CaseDocument:
    """240 GiB on one stripe, and the script of the job."""
    block = statistics("/scratch/out/o.dat", 240 * GIB, **ONE_AGGREGATOR)
    text = printed(block, phases("/scratch/out/o.dat", 240 * GIB, 200, STORAGE))
    return case(text, f"#!/bin/bash\n#SBATCH --nodes=4\n{lines}\nsrun -n 512 ./app\n".encode())


@pytest.mark.parametrize("count", ["16", "-1"])
@pytest.mark.parametrize("directory", ["/scratch/out", "/scratch/", "./out"])
def test_stripes_that_the_script_asks_for_are_not_asked_for_again(directory: str, count: str) -> None:
    found = striped_by(f"lfs setstripe -c {count} {directory}").headline
    stripes = "all OSTs" if count == "-1" else "16 stripes"
    assert (found.action or "").startswith(
        f"The job script asks for {stripes} there already, and the file has 1 stripe"
    )
    assert found.command is None


def test_a_line_that_asks_for_too_few_stripes_is_the_one_to_change() -> None:
    found = striped_by("lfs setstripe -c 1 /scratch/out").headline
    assert "The job script asks for 1 stripe there: change that line." in (found.action or "")
    assert found.command == "lfs setstripe -c 4 -S 1M /scratch/out"
    for lines in (
        "lfs setstripe -c 16 /scratch/other",
        "lfs setstripe -c 16 $OUT",
        "lfs setstripe -c 16 /scratch/output",
    ):
        assert "The job script asks" not in (striped_by(lines).headline.action or "")


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        ("*.h5", "the hints are for *.h5 and apply to none of the files: o.dat was opened"),
        ("*.dat", "cb_nodes"),
        ("*", "cb_nodes"),
        ("/scratch/o.*", "cb_nodes"),
    ],
)
def test_a_hint_is_ignored_by_the_files_that_it_is_for(pattern: str, wrong: str) -> None:
    script = f'#!/bin/bash\n#SBATCH --nodes=4\nexport MPICH_MPIIO_HINTS="{pattern}:cb_nodes=48"\nsrun -n 512 ./app\n'
    text = printed(hinted("/scratch/o.dat", cb_nodes="12"), written("/scratch/o.dat", 20, STORAGE))
    (found,) = [f for f in case(text, script.encode()).findings if f.rule == "hint-audit" and f.verdict == "triggered"]
    assert f"What is wrong: {wrong}" in found.says.summary


@pytest.mark.parametrize(
    ("hints", "wrong"),
    [
        ("*.h5:striping_factor=16", "striping_factor=16 was asked for, but out.h5 has 4 stripes: it was there before"),
        ("*:striping_unit=4194304", "striping_unit=4194304 was asked for, but out.h5 has stripes of 1048576 bytes: "),
        ("*:striping_factor=4:striping_unit=1048576", None),
        ("*.nc:striping_factor=16", None),
        ("*in:striping_factor=16", None),
    ],
)
def test_striping_that_was_asked_for_is_compared_with_where_the_file_lies(hints: str, wrong: str | None) -> None:
    """What the job only reads was there before, and is not to be made by it."""
    parts = (
        Part("/scratch/out.h5", range(8), "MPI-IO", writes=64, write_s=20.0, collective=True, osts=(1, 2, 3, 4)),
        Part("/scratch/in", range(8), "MPI-IO", reads=64, read_s=2.0, collective=True, osts=(1,)),
    )
    script = f'#!/bin/bash\nexport MPICH_MPIIO_HINTS="{hints}"\nsrun -n 8 ./app\n'.encode()
    found = case(script, work=Work(parts, 8, 60.0))
    audit = found.metrics["hints.audit"].value
    assert (None if audit is None else str(audit)[: len(wrong or "")]) == wrong
    assert ("a name that is not there yet" in str(found.headline.action)) is (wrong is not None)


def test_a_script_that_starts_several_programs_is_of_the_one_that_is_told_of() -> None:
    script = b"#!/bin/bash\n#SBATCH --nodes=4\nsrun -N 1 -n 1 ./prepare\nsrun -N 4 -n 512 ./app\n"
    text = printed(written("/scratch/o.dat", 90, LATE))
    assert all(a.agrees for a in case(text, script).agreement)
    # Without a trace of it, the launch of most ranks.
    alone = case(written("/scratch/o.dat", 90, LATE).encode(), script)
    assert (alone.metrics["job.nprocs"].value, alone.metrics["job.nnodes"].value) == (512, 4)
    other = case(text.replace(b"./app", b"./other"), script)
    assert [a.quantity for a in other.agreement if not a.agrees] == ["program"]


COMPONENT = (
    "|   pfl comp[{index}]= {count:2d} x      {size}M {of:>6} - {to:>6}  w={mib:6d}M / {mib:5d} (0.010 + 0.010)  "
    "r=     0M /     0 (0.000 + 0.000)\n"
)


@pytest.mark.parametrize(("first", "last", "stripes", "found"), [(100, 61340, 16, False), (61440, 0, 1, True)])
def test_of_a_progressive_layout_the_component_with_the_bytes_counts(
    first: int, last: int, stripes: int, *, found: bool
) -> None:
    """Whichever the block prints: of a file of 60 GiB that is on 16 OSTs but for its beginning, and of one that ends
    in its first component."""
    pfl = COMPONENT.format(index=0, count=1, size=1, of="0M", to="100M", mib=first)
    pfl += COMPONENT.format(index=1, count=16, size=4, of="100M", to="-1", mib=last)
    block = statistics("/scratch/o.dat", 60 * GIB, stripe_count=1, aggregators=16)
    rule = block.splitlines()[0]
    document = case(printed(f"{rule}\n{pfl}{block}", phases("/scratch/o.dat", 60 * GIB, 60, STORAGE)))
    assert document.metrics["file.stripe_count"].value == stripes
    assert ("ssf-understriped" in {f.rule for f in document.findings if f.verdict == "triggered"}) == found


def test_stripes_that_a_hint_asks_for_are_not_asked_for_again() -> None:
    found = striped_by('export MPICH_MPIIO_HINTS="*.dat:striping_factor=16"').headline
    assert (found.action or "").startswith("A hint (striping_factor) asks for 16 stripes already, and the file has 1")
    assert found.command is None
    # One for other files asks for none of this one; one that asks for too few has the last word over the script.
    assert "setstripe" in (striped_by('export MPICH_MPIIO_HINTS="*.h5:striping_factor=16"').headline.command or "")
    too_few = striped_by('lfs setstripe -c 16 /scratch/out\nexport MPICH_MPIIO_HINTS="*:striping_factor=1"').headline
    assert too_few.command == "lfs setstripe -c 4 -S 1M /scratch/out\nunset MPICH_MPIIO_HINTS"


@pytest.mark.parametrize(("directory", "count", "known"), [("out", -1, True), ("out", 1, False), ("other", -1, False)])
def test_stripes_that_the_directory_gives_are_not_set_again(directory: str, count: int, *, known: bool) -> None:
    block = statistics("/scratch/out/o.dat", 240 * GIB, **ONE_AGGREGATOR)
    text = printed(block, phases("/scratch/out/o.dat", 240 * GIB, 200, STORAGE))
    listed = f"/scratch/{directory}\nstripe_count:  {count} stripe_size:   1048576 pattern: raid0 stripe_offset: -1\n"
    found = case(text, listed.encode()).headline
    assert ("gives all OSTs to new files already" in (found.action or "")) == known
    assert (found.command is None) == known


def test_one_aggregator_that_a_hint_asks_for_is_told_of_the_hint() -> None:
    one = {**ONE_AGGREGATOR, "stripe_count": 16}
    block = statistics("/scratch/o.dat", 240 * GIB, **one) + phases("/scratch/o.dat", 240 * GIB, 200, STORAGE)
    script = '#!/bin/bash\n#SBATCH --nodes=4\nexport MPICH_MPIIO_HINTS="*:cb_nodes=1"\nsrun -n 512 ./app\n'
    found = case(printed(hinted("/scratch/o.dat", cb_nodes="1"), block), script.encode()).headline
    assert "the hint cb_nodes asks for 1 aggregator: take it out" in (found.action or "")
    assert found.command == 'export MPICH_MPIIO_HINTS="*:cb_nodes=16"'
    other = case(printed(hinted("/scratch/o.dat", cb_nodes="16"), block)).headline
    assert "look for a hint that limits" in (other.action or "")


@pytest.mark.parametrize(
    ("driver", "lustre"),
    [("NFS:", False), ("GPFS: IBM GPFS", False), ("CRAY ADIO:", True), ("UFS: Generic ROMIO driver", True)],
)
def test_a_file_that_romio_opens_on_another_file_system_is_not_sent_to_lustre(driver: str, *, lustre: bool) -> None:
    block = statistics("/home/u/o.dat", 240 * GIB, **ONE_AGGREGATOR)
    shown = hinted("/home/u/o.dat", romio_filesystem_type=driver)
    found = case(printed(shown, block, phases("/home/u/o.dat", 240 * GIB, 200, STORAGE)))
    said = " ".join(a.command or "" for f in found.findings if f.verdict == "triggered" for a in f.says.advice)
    assert ("lfs setstripe" in said) == lustre
    # What is displayed of one file says nothing of another.
    elsewhere = hinted("/home/u/other.dat", romio_filesystem_type=driver)
    other = case(printed(elsewhere, block, phases("/home/u/o.dat", 240 * GIB, 200, STORAGE))).headline
    assert "lfs setstripe" in (other.command or "")


@pytest.mark.parametrize(
    ("launches", "program", "ranks"),
    [
        (("-N 1 -n 8 ./mesh", "-N 4 -n 512 ./solver"), "solver", 512),
        (("-N 4 -n 512 ./solver", "-N 1 -n 8 ./plots"), "solver", 512),
        (("-n 1 ./mesh", "./solver"), "solver", 256),
        (("-n 1 ./mesh", "-n $RANKS ./solver"), "solver", 256),
        (("-n 256 ./mesh", "-n 256 ./solver"), "mesh", 256),
    ],
)
def test_a_job_of_several_programs_is_called_by_the_largest(
    launches: tuple[str, ...], program: str, ranks: int
) -> None:
    lines = "\n".join(f"srun {launch}" for launch in launches)
    script = f"#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks=256\n{lines}\n"
    document = case(written("/scratch/o.dat", 90, LATE).encode(), script.encode())
    assert (document.job.executable, document.metrics["job.nprocs"].value) == (f"./{program}", ranks)
    # The trace of the same script contradicts nothing of it.
    traced = "\n".join(f"+ srun {launch}" for launch in launches).replace("$RANKS", "256")
    both = case(f"{traced}\n{written('/scratch/o.dat', 90, LATE)}".encode(), script.encode())
    assert all(a.agrees for a in both.agreement)
    assert both.job.executable == f"./{program}"


def test_a_file_that_is_read_is_as_large_as_what_collective_calls_read_of_it() -> None:
    """No source has its size: it was taken for one of no bytes, and more stripes were not advised."""
    name = "/lus/eagle/projects/x/in.h5"
    block = statistics(name, 64 * GIB, **ONE_AGGREGATOR) + phases(name, 64 * GIB, 131, STORAGE)
    lines = [line for line in block.splitlines() if "modify" not in line and "aggregators active" not in line]
    text = "\n".join(lines).replace("writers", "readers").replace("writing", "reading").replace("write", "read")
    top = case(printed(text)).headline
    assert top.rule == "single-aggregator"
    assert "lfs setstripe -c 4" in (top.command or "")
    assert "copy them" in (top.action or "")


FOUR = {"aggregators": 4, "stripe_count": 4, "aggregators_active": "0,0,0,5120 (1, <= 2, > 2, 4)"}
ALONE = {"independent_writes": 65536, "collective_writes": 0, "independent_writers": 512, "aggregators": 1}


@pytest.mark.parametrize(
    ("moved", "changed", "ranks", "stripes", "rule"),
    [
        (1024 * GIB, FOUR, 512, 4, "ssf-understriped"),
        (1024 * GIB, FOUR, None, 4, None),
        (1024 * GIB, {}, 512, 12, None),
        (20 * GIB, FOUR, 512, 4, None),
        (64 * GIB, ALONE | {"stripe_count": 1}, None, 1, "ssf-understriped"),
        (64 * GIB, ALONE | {"stripe_count": 1, "independent_writers": 4}, None, 1, None),
    ],
)
def test_stripes_can_be_too_few_where_nothing_times_the_file(
    moved: int, changed: dict[str, object], ranks: int | None, stripes: int, rule: str | None
) -> None:
    """160 OSTs, and statistics alone, which may not print the ranks either."""
    text = statistics("/lus/eagle/projects/x/o.dat", moved, **changed)
    if ranks is not None:
        head = "|   independent writes "
        text = text.replace(head, f"|   ranks in communicator   = {ranks}\n{head}")
    document = case(text.encode())
    assert document.headline.rule == rule
    assert document.metrics["file.stripe_count"].value == stripes
    found = next((f.verdict for f in document.findings if f.rule == "ssf-understriped"), None)
    assert found == ("triggered" if rule else found)
    if moved > 100 * GIB and rule is None and stripes == 4:
        assert found == "unknown", "how many ranks there are is not said"


@pytest.mark.parametrize("names", [("run1/out.h5", "run2/out.h5"), ("out.0001.h5", "out.0002.h5"), ("a.h5", "b.h5")])
def test_a_file_on_one_stripe_is_not_hidden_by_one_of_a_like_name_on_many(names: tuple[str, str]) -> None:
    alone = {"aggregators": 1, "stripe_count": 1, "aggregators_active": "5120,0,0,0 (1, <= 1, > 1, 1)"}
    first, second = (f"/work/p/{name}" for name in names)
    document = case(printed(statistics(first, 64 * GIB), statistics(second, 64 * GIB, **alone)))
    found = next(f for f in document.findings if f.rule == "single-aggregator" and f.verdict == "triggered")
    assert found.scope.label == names[1].rpartition("/")[2] or found.scope.label == names[1]
    # Those that are made alike stay one group.
    alike = case(printed(statistics(first, 64 * GIB, **alone), statistics(second, 64 * GIB, **alone)))
    assert [f.verdict for f in alike.findings if f.rule == "single-aggregator"].count("triggered") == len(
        {name.translate(str.maketrans("12", "##")) for name in names}
    )


def test_a_file_that_was_made_anew_is_judged_as_it_is_now() -> None:
    alone = {"aggregators": 1, "stripe_count": 1, "aggregators_active": "5120,0,0,0 (1, <= 1, > 1, 1)"}
    wide, narrow = statistics("restart.h5", 64 * GIB), statistics("restart.h5", 64 * GIB, **alone)
    assert case(printed(wide, narrow)).headline.rule == "single-aggregator"
    assert case(printed(narrow, wide)).headline.rule != "single-aggregator"


ONE_STRIPE = printed(statistics("/work/run/out/o.nc", 200 * GIB, **ONE_AGGREGATOR))
SCRIPT = "#!/bin/bash\n#SBATCH --nodes=16\n#SBATCH --ntasks-per-node=32\n"


@pytest.mark.parametrize(
    "asks",
    [
        "N=8\nOUT=/work/run/out\nmkdir -p $OUT\nlfs setstripe -c $N $OUT\n",
        'WORK=/work/run\nlfs setstripe --stripe-count=8 "${WORK}/out"\n',
        'N=8\nexport MPICH_MPIIO_HINTS="*.nc:striping_factor=${N}"\n',
    ],
)
def test_stripes_that_a_script_asks_for_by_its_variables_are_not_asked_for_again(asks: str) -> None:
    action = case(ONE_STRIPE, f"{SCRIPT}{asks}srun ./sea\n".encode()).headline.action
    assert "asks for 8 stripes" in (action or "")


def test_what_a_loop_gives_as_a_hint_is_no_hint_that_was_not_followed() -> None:
    script = SCRIPT + 'for N in 1 4; do\nexport MPICH_MPIIO_HINTS="*:cb_nodes=$N"\nsrun ./sea\ndone\n'
    document = case(ONE_STRIPE, hinted("/work/run/out/o.nc", cb_nodes="1").encode(), script.encode())
    assert above_info(document).keys() == {"single-aggregator"}


def test_a_loop_over_stripes_is_not_said_to_have_asked_for_those_of_its_last_run() -> None:
    """Its output has the file on one stripe, and then on 8."""
    twelve = statistics("/work/run/out/o.nc", 20 * GIB, aggregators=8, stripe_count=8)
    traced = "+ lfs setstripe -c {} /work/run/out\n+ srun ./sea\n{}"
    one = ONE_STRIPE.decode().partition("\n+---")[2]
    text = traced.format(1, f"+---{one}") + traced.format(8, twelve)
    action = case(text.encode()).headline.action
    assert "asks for 8 stripes" not in (action or "")
    assert "Stripe the directory" in (action or "")


def listed(path: str, *on: int) -> bytes:
    """What `lfs getstripe` prints of a file with a stripe on each of these OSTs."""
    objects = "".join(f"\t     {ost}\t     9176{i}\t     0x8c{i}\t             0\n" for i, ost in enumerate(on, 214))
    return (
        f"{path}\nlmm_stripe_count:  {len(on)}\nlmm_stripe_size:   1048576\nlmm_pattern:       raid0\n"
        f"lmm_layout_gen:    0\nlmm_stripe_offset: {on[0]}\n\tobdidx\t\t objid\t\t objid\t\t group\n{objects}\n"
    ).encode()


@pytest.mark.parametrize("others", [(), (listed("/work/run/in/mesh.nc", *range(4, 24)),)])
def test_the_osts_of_a_file_that_was_made_again_are_not_those_of_the_run(others: tuple[bytes, ...]) -> None:
    """It had 12 stripes in the run, as the library printed, and has one now, whatever other files have."""
    document = case(printed(written("/work/run/out/o.nc", 100.0, STORAGE)), listed("/work/run/out/o.nc", 3), *others)
    assert document.unexplained is not None
    assert {rate.of: rate.count for rate in document.unexplained.rates}["OST"] == 12
    assert "was made again since" in why_absent(document)


def why_absent(document: CaseDocument) -> str:
    found = document.metrics["file.osts"]
    assert isinstance(found, AbsentMetric)
    return document.absences[found.absent].reason


def test_a_file_with_several_stripes_on_each_ost_was_not_made_again() -> None:
    """Twelve stripes on six OSTs (`lfs setstripe -C 12`)."""
    twice = listed("/work/run/out/o.nc", *range(6), *range(6))
    document = case(printed(written("/work/run/out/o.nc", 100.0, STORAGE)), twice)
    assert document.metrics["file.osts"].value == 6


def test_a_listing_of_another_file_does_not_say_that_this_one_was_made_again() -> None:
    document = case(printed(written("/work/run/out/o.nc", 100.0, STORAGE)), listed("/work/run/in/mesh.nc", 3))
    assert "about another file" in why_absent(document)
