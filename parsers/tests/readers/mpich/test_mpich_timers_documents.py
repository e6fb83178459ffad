"""MPICH_MPIIO_TIMERS blocks: those that public pages print, and the layout of their slides."""

from __future__ import annotations

import pytest
from stats_text import extra, read
from timers_text import only, timers_of

from iotriage_parsers.evidence import Lines, MpiioStats, MpiioTimers, Spread

MIB = 2**20
PUBLIC = extra("samples", "mpiio")
SEEDS = extra("seeds")


@pytest.mark.skipif(PUBLIC is None, reason="no extra corpora")
@pytest.mark.parametrize("name", ["02-stats1-timers1-write-sisu-xc40.txt", "04-html-escaped-stats-timers-sisu.txt"])
def test_the_public_block_of_2017(name: str) -> None:
    assert PUBLIC is not None
    evidence = read((PUBLIC / name).read_bytes())
    (found,) = evidence.of(MpiioTimers)
    assert (found.direction, found.ranks, found.file) == ("write", "all ranks", "large-cube-SPIN_DENSITY-1_0.cube")
    assert (found.complete, found.trusted, found.lines) == (True, True, Lines(19, 46))
    assert (found.active_ranks, found.idle_ranks, found.seconds_of("open/close/trunc time")) == (
        1,
        191,
        Spread(0, 0, 0),
    )
    assert (found.scale_exponent, found.total_ticks) == (4, 760329267)
    assert {p.label: (p.ticks.minimum, p.ticks.maximum, p.ticks.average, p.percent) for p in found.phases} == {
        "imbalance": (1923, 2566, 2346, 0),
        "open/close/trunc": (247135, 302731, 251846, 0),
        "local compute": (92757, 213092, 97163, 0),
        "wait for coll": (14746, 752303980, 398433146, 52),
        "collective": (28706, 35441, 30597, 0),
        "exchange": (373415, 2146029, 398483, 0),
        "data send": (7189592, 759376475, 357649987, 47),
        "file access": (0, 656363834, 656363834, 86),
        "other": (5582, 48380, 47134, 0),
    }
    assert (found.data_send_bandwidth, found.raw_bandwidth, found.net_bandwidth) == (
        pytest.approx(1899.597 * MIB),
        pytest.approx(1035.084 * MIB),
        pytest.approx(893.550 * MIB),
    )
    assert evidence.of(MpiioStats)[0].total_bytes == 4382277718


@pytest.mark.skipif(SEEDS is None, reason="no extra corpora")
def test_the_text_of_the_theta_slides() -> None:
    """Labels and numbers stand on lines of their own, two numbers before their label; two rows have no number."""
    assert SEEDS is not None
    (path,) = SEEDS.glob("002_*.txt")
    (found,) = timers_of(path.read_bytes())
    assert (found.file, found.active_ranks, found.idle_ranks) == ("testFile", None, 4048)
    assert (found.complete, found.trusted) == (False, True)
    assert (found.scale_exponent, found.total_ticks) == (1, 515639319)
    assert {p.label: (p.ticks.minimum, p.ticks.maximum, p.ticks.average, p.percent) for p in found.phases} == {
        "imbalance": (70473, 4113200, 4038142, 0),
        "open/close/trunc": (20449942, 21682440, 20547164, 3),
        "local compute": (1264081, 72814196, 7986327, 1),
        "wait for coll": (342868, 469936675, 261193401, 50),
        "collective": (5040048, 7905176, 6537893, 1),
        "exchange": (2857647, 32294255, 3413887, 0),
        "data send": (6250725, 403979537, 205475108, 39),
        "file access": (0, 235316380, 226898464, 44),
        "other": (49224, 5699284, 3788427, 0),
    }
    assert (found.data_send_bandwidth, found.raw_bandwidth, found.net_bandwidth) == (
        pytest.approx(12967.254 * MIB),
        pytest.approx(11742.909 * MIB),
        pytest.approx(5167.271 * MIB),
    )


SLIDE = """\
 number of ranks writing = 4
 total
                      = 10000 900000
 imbalance
                                    500000 0%
 wait for coll = 30000 300000000
                                   200000000 40%
 file write
               = 0 420000000 400000000 80%
 raw write BW (MiB/s)
                    2500.000
                    2000.000
 net write BW (MiB/s)
(*) send and write overlap when number ranks != number of writers
"""


def slide(text: str) -> MpiioTimers:
    return only("MPIIO write by phases, all ranks, for testFile\n" + text)


def test_numbers_on_lines_of_their_own_are_put_in_order() -> None:
    found = slide(SLIDE.replace(" total\n", " 500000000\n total\n"))
    assert (found.active_ranks, found.total_ticks) == (4, 500000000)
    assert [(p.label, p.percent) for p in found.phases] == [
        ("imbalance", 0),
        ("wait for coll", 40),
        ("file access", 80),
    ]
    assert (found.raw_bandwidth, found.net_bandwidth) == (2500 * MIB, 2000 * MIB)


@pytest.mark.parametrize(
    ("damage", "label"),
    [
        ((" 400000000 80%", " 400000000 44%"), "file access"),
        (("30000 300000000\n", "300000000 30000\n"), "wait for coll"),
    ],
)
def test_an_order_that_the_figures_do_not_confirm_is_not_believed(damage: tuple[str, str], label: str) -> None:
    found = slide(SLIDE.replace(" total\n", " 500000000\n total\n").replace(*damage))
    assert found.phase(label) is None
    assert not found.complete


def test_bandwidths_in_the_wrong_order_are_left_out() -> None:
    swapped = SLIDE.replace("2500.000", "x").replace("2000.000", "2500.000").replace("x", "2000.000")
    found = slide(swapped.replace(" total\n", " 500000000\n total\n"))
    assert (found.raw_bandwidth, found.net_bandwidth) == (None, None)
