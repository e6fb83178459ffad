"""Statistics out of a picture are said to be there, and not read; what was printed so is none of them."""

from __future__ import annotations

from io import BytesIO

import pytest
from stats_text import block
from timers_text import timers as timers_block

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, Failure, StripeLayout

FROM_A_PICTURE = {
    "the box's sides": lambda text: text.replace("|", "l").replace("+---", "+—--"),
    "letters and figures": lambda text: text.replace("|", "I").replace("MPIIO", "MPllO").replace("0", "O"),
    "no sides, and 1 for I": lambda text: text.replace("|", " ").replace("MPIIO", "MP1IO").replace("stripe", "str1pe"),
}


@pytest.mark.parametrize("changed", FROM_A_PICTURE.values(), ids=FROM_A_PICTURE)
@pytest.mark.parametrize("printed", [block(), timers_block()], ids=["statistics", "times"])
def test_it_is_refused_for_that_reason(changed, printed: str) -> None:  # type: ignore[no-untyped-def]
    answer = detect.read(BytesIO(("step 1\n" + changed(printed)).encode()))
    assert isinstance(answer, Failure)
    assert "on line 3 statistics of MPI-IO begin whose letters or signs were changed" in answer.message
    assert "what is retyped" in answer.next_step


LAYOUT = """/bay/run1
lmm_stripe_count:  4
lmm_stripe_size:   1048576
lmm_pattern:       raid0
lmm_layout_gen:    0
lmm_stripe_offset: 12
\tobdidx\t\t objid\t\t objid\t\t group
\t    12\t         4512\t       0x11a0\t             0
"""
CHANGED_LAYOUTS = {
    "1 for l": LAYOUT.replace("lmm", "1mm"),
    "no underscores": LAYOUT.replace("_", " ").replace("raid0", "raidO"),
    "lines counted": "".join(
        f"{n} {line}\n"
        for n, line in enumerate(LAYOUT.replace("lmm_str", "Inm_str").replace(": ", "：").splitlines(), 11)
    ),
}


@pytest.mark.parametrize("text", CHANGED_LAYOUTS.values(), ids=CHANGED_LAYOUTS)
def test_a_layout_out_of_a_picture_is_refused(text: str) -> None:
    heads = text[: text.index("\tobdidx")]
    answer = detect.read(BytesIO(heads.encode()))
    assert isinstance(answer, Failure)
    assert "a layout of Lustre (lfs getstripe) begins whose letters or signs were changed" in answer.message
    beside = detect.read(BytesIO(text.encode()))
    assert isinstance(beside, Evidence)
    assert "changed-letters" in [p.code for p in beside.problems if p.loses_data]
    assert [(p.path, p.components[0].stripe_size_bytes) for p in beside.of(StripeLayout)] == [(None, None)]


def test_what_a_manual_says_of_layouts_is_none() -> None:
    text = "".join(f"lmm_{name}: says how it is\n" for name in ("stripe_count", "stripe_size", "pattern", "layout_gen"))
    answer = detect.read(BytesIO(text.encode()))
    assert isinstance(answer, Evidence)
    assert not any("picture" in p.message for p in answer.problems)


def test_beside_what_is_read_it_is_missing() -> None:
    trace = "+ export MPICH_MPIIO_STATS=1\n+ srun -n 4 ./a.out\n"
    changed = FROM_A_PICTURE["letters and figures"](block())
    answer = detect.read(BytesIO((trace + changed).encode()))
    assert isinstance(answer, Evidence)
    assert [(p.code, p.line, p.loses_data) for p in answer.problems] == [("changed-letters", 4, True)]


@pytest.mark.parametrize(
    "text",
    [
        "grep 'MPIIO write access patterns for' out.txt\nstripe count = 4\nsystem writes = 12\naggregators = 4\n",
        "MPllO write access patterns for plain.dat\n",
        block().replace("| MPIIO write access", "|  MPIIO write access").replace("= ", ": "),
    ],
    ids=["a command", "a title alone", "as printed, and refused for something else"],
)
def test_what_is_none(text: str) -> None:
    answer = detect.read(BytesIO(text.encode()))
    said = answer.message if isinstance(answer, Failure) else "".join(p.message for p in answer.problems)
    assert "picture" not in said


def test_a_copy_that_is_whole_needs_no_other() -> None:
    answer = detect.read(BytesIO((FROM_A_PICTURE["the box's sides"](block()) + block()).encode()))
    assert isinstance(answer, Evidence)
    assert answer.reader == "mpich_stats"
