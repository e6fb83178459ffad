"""What a report says of the texts among the sources."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.reports.text_evidence import text_evidence_lines
from iotriage_parsers.detect import read

SAMPLES = Path(__file__).parents[3] / "sample-logs"


def lines_of(text: str) -> list[str]:
    data = text.encode()
    return text_evidence_lines(diagnose([ReadSource("a.txt", "0" * 64, len(data), read(BytesIO(data)))]))


def test_a_rate_of_less_than_one_a_second_is_not_none() -> None:
    mdtest = (SAMPLES / "mdtest/shared-directory/mdtest-fjord.txt").read_text()
    row = next(line for line in mdtest.splitlines() if line.strip().startswith("Tree creation"))
    slow = f"   Tree creation {' ' * 12}:          0.407          0.407          0.407          0.000"
    lines = lines_of(mdtest.replace(row, slow))
    assert "  tree creation: 0.407 operations/s" in lines
    assert "  file stat: 115,200 operations/s in the mean" in lines, "of three iterations"


def test_a_block_of_which_nothing_was_read_says_so() -> None:
    (path,) = (SAMPLES / "mpich_timers/healthy-collective").glob("*.txt")
    text = path.read_text()
    cut = text[: text.index("clock ticks")]
    said = [line for line in lines_of(cut[: cut.rindex("\n") + 1]) if " phases of " in line]
    assert said
    assert all(line.endswith(": none was read") for line in said)


def test_runs_of_one_output_are_told_apart_by_how_they_write() -> None:
    ior = (SAMPLES / "ior/ssf-collective/ior-ssf-collective.txt").read_text()
    own = (SAMPLES / "ior/read-back/ior-read-back.txt").read_text()
    assert [line for line in lines_of(f"{ior}\n{own}") if line.startswith("IOR: ")] == [
        "IOR: 96 ranks, 3 nodes, MPIIO, one shared file, collective calls, 4.00 MiB a call",
        "IOR: 96 ranks, 3 nodes, POSIX, a file each, 4.00 MiB a call",
    ]
    mdtest = (SAMPLES / "mdtest/shared-directory/mdtest-fjord.txt").read_text()
    assert "mdtest: 256 ranks, -n 2000 -F -w 3901 -e 3901 -i 3" in lines_of(mdtest)


@pytest.mark.parametrize("ended", [True, False])
def test_a_repetition_that_is_far_slower_is_told(*, ended: bool) -> None:
    """By the summary, and where the text ends before it by the rows."""
    ior = (SAMPLES / "ior/ssf-collective/ior-ssf-collective.txt").read_text()
    given = ior if ended else ior.partition("Max Write")[0]
    usual = [line.strip() for line in lines_of(given) if "at best" in line]
    slow = [line.strip() for line in lines_of(given.replace("2973.77", "1024.00")) if "at best" in line]
    assert usual == ["write: 3.08 GiB/s at best", slow[1]]
    assert slow[0] == "write: 3.08 GiB/s at best, 1.00 GiB/s at worst"


def test_many_closes_alike_are_one_line_and_not_those_of_other_files() -> None:
    (path,) = (SAMPLES / "mpich_timers/healthy-collective").glob("*.txt")
    block = path.read_text()
    other = block.replace("tarn_0120.h5", "diagnostics.dat")
    text = "".join(block.replace("tarn_0120", f"tarn_{i:04d}").replace("0.01  ", f"0.{i:02d}  ") for i in range(30))
    said = [line for line in lines_of(text + other) if " phases of " in line]
    assert [line.partition(":")[0] for line in said] == [
        "write phases of tarn_0000.h5, the longest of 30 like it, all ranks",
        "write phases of diagnostics.dat, all ranks",
    ]


def test_hints_of_many_files_are_one_line_where_they_have_the_same_values() -> None:
    shown = [
        f"PE 0: MPIIO hints for o{i:03d}.h5:\n          romio_cb_write           = automatic\n"
        f"          cb_nodes                 = {1 if i == 7 else 12}\n\n"
        for i in range(40)
    ]
    assert lines_of("".join(shown)) == [
        "hints of o000.h5 and 38 like it: romio_cb_write=automatic, cb_nodes=12",
        "hints of o007.h5: romio_cb_write=automatic, cb_nodes=1",
    ]


def test_how_full_the_fullest_ost_is() -> None:
    rows = "UUID  bytes  Used  Available Use% Mounted on\n"
    rows += "".join(
        f"bay-OST000{n}_UUID  100.0T  {used}T  {100 - used}T  {used}% /bay[OST:{n}]\n" for n, used in ((0, 41), (1, 97))
    )
    assert lines_of(rows + "filesystem_summary:  200.0T  138T  62T  69% /bay\n") == [
        "lfs df of /bay: the fullest of 2 OSTs, bay-OST0001, is 97 % full"
    ]
    inodes = rows.replace("bytes  Used", "Inodes  IUsed").replace("Use%", "IUse%")
    assert lines_of(inodes) == []
    assert lines_of(inodes.replace("97%", "100%")) == [
        "lfs df -i of /bay: bay-OST0001 has no inodes left: no files can be made there, whatever space is free"
    ]


def _component(mirror: int, start: str, end: str, count: int, pattern: str = "raid0") -> str:
    return (
        f"    lcme_id:             {mirror * 65536 + 1}\n    lcme_mirror_id:      {mirror}\n"
        f"    lcme_flags:          init\n    lcme_extent.e_start: {start}\n    lcme_extent.e_end:   {end}\n"
        f"      lmm_stripe_count:  {count}\n      lmm_stripe_size:   4194304\n      lmm_pattern:       {pattern}\n"
        f"      lmm_layout_gen:    0\n      lmm_stripe_offset: 1\n\n"
    )


def _layout(mirrors: int, *components: str) -> str:
    head = f"/bay/f\n  lcm_layout_gen:    2\n  lcm_mirror_count:  {mirrors}\n  lcm_entry_count:   {len(components)}\n"
    return head + "".join(components)


def test_mirrors_do_not_follow_one_another() -> None:
    first = (_component(1, "0", "4194304", 1), _component(1, "4194304", "EOF", 4))
    assert lines_of(_layout(1, *first)) == ["stripes of /bay/f: 1 × 4 MiB, then 4 × 4 MiB"]
    assert lines_of(_layout(2, *first, _component(2, "0", "EOF", 6))) == [
        "stripes of /bay/f: mirror 1: 1 × 4 MiB, then 4 × 4 MiB; mirror 2: 6 × 4 MiB"
    ]
    assert lines_of(_layout(2, _component(1, "0", "EOF", 2), _component(2, "0", "EOF", 1, "parity"))) == [
        "stripes of /bay/f: mirror 1: 2 × 4 MiB; mirror 2: parity on 1 × 4 MiB"
    ]


def test_what_is_left_out_of_a_list_is_counted() -> None:
    names = [f"MPICH_MPIIO_DVS_MAXNODES_{i}" for i in range(9)]
    shown = "\n".join(f"PE 0: {name:<38} = {i + 1}" for i, name in enumerate(names))
    settings = next(s for s in lines_of(f"PE 0: MPICH environment settings =====\n{shown}\n") if "settings:" in s)
    assert (settings.count("="), settings.rpartition(", ")[2]) == (6, "and 3 more")
    script = "#!/bin/bash\n#SBATCH -N 4\n" + "".join(f"lfs setstripe -c {i} /scratch/o{i}\n" for i in range(1, 8))
    assert lines_of(f"{script}srun ./app\n")[-1] == "  and 3 more lfs setstripe lines"
    one_more = script.replace("lfs setstripe -c 6 /scratch/o6\nlfs setstripe -c 7 /scratch/o7\n", "")
    assert lines_of(f"{one_more}srun ./app\n")[-1] == "  and 1 more lfs setstripe line"


def test_components_beyond_the_first_few_are_counted() -> None:
    component = """\
    lcme_id:             {i}
    lcme_mirror_id:      0
    lcme_flags:          init
    lcme_extent.e_start: {start}
    lcme_extent.e_end:   {end}
      lmm_stripe_count:  {i}
      lmm_stripe_size:   1048576
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: 0
"""
    head = "/scratch/o.dat\n  lcm_layout_gen:    6\n  lcm_mirror_count:  1\n  lcm_entry_count:   6\n"
    ends = [*(i << 30 for i in range(1, 6)), "EOF"]
    parts = "".join(component.format(i=i + 1, start=i << 30, end=end) for i, end in enumerate(ends))
    (stripes,) = (line for line in lines_of(head + parts) if line.startswith("stripes of "))
    assert stripes.endswith("4 × 1 MiB; and 2 more components")
