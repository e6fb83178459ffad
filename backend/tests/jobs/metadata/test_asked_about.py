"""Files that ranks ask about, beside others that they only use: the first sentence counts those asked about."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document

RANKS = range(64)


def asking(files: int, stats: int, others: int) -> Work:
    """Each rank asks `stats` times about each of `files`, and once about each of `others`, that it reads."""
    asked = [
        Part(f"/scratch/flag.{'abcdefgh'[i]}", RANKS, stats=stats, opens=0, meta_s=200 / files) for i in range(files)
    ]
    used = [Part(f"/scratch/in{i}.dat", RANKS, reads=4, size=MIB, read_s=0.1, stats=1) for i in range(others)]
    return Work((*asked, *used), nprocs=64, runtime_s=600.0, nodes=2)


@pytest.mark.parametrize("others", [0, 1, 90])
def test_files_that_are_only_used_are_not_asked_about(others: int) -> None:
    said = document(asking(4, 20_000, others)).headline
    assert said.rule == "metadata-bound"
    assert said.sentence.startswith("Asking again and again about 4 files takes longer than moving the data.")


def test_many_files_of_which_each_is_asked_about_once_are_all_asked_about() -> None:
    """Those that are opened too: a few stats of each file are no more than that."""
    each = [Part(f"/scratch/{name}.{{}}", RANKS, stats=9, meta_s=10.0) for name in "abcdefghijklmnopqrstu"]
    said = document(Work(tuple(each), nprocs=64, runtime_s=600.0, nodes=2)).headline
    assert said.sentence.startswith("Asking about 1,344 files takes longer than moving the data.")


@pytest.mark.parametrize(("stats", "said"), [(1, "Asking about 4,033"), (72, "Asking again and again about 4,033")])
def test_one_file_that_is_asked_about_more_often_than_many_others_is_not_all(stats: int, said: str) -> None:
    flag = Part("/scratch/config", RANKS, stats=20 * stats, opens=0, meta_s=0.001)
    names = (f"{a}{b}" for a in "abcdefghijklmnopqrstu" for b in "abc")
    each = (Part(f"/scratch/{name}.{{}}", RANKS, stats=stats, opens=0, meta_s=1.5) for name in names)
    found = document(Work((flag, *each), nprocs=64, runtime_s=600.0, nodes=2)).headline
    assert found.sentence.startswith(f"{said} files takes longer than moving the data.")


def test_files_that_each_rank_asks_about_once_are_not_asked_about_again_and_again() -> None:
    each = [Part(f"/scratch/{name}.h", RANKS, stats=1, opens=0, meta_s=1.0) for name in "abcdefghijklmnopqrstu"]
    found = document(Work(tuple(each), nprocs=64, runtime_s=60.0, nodes=2))
    assert found.headline.sentence.startswith("Asking about 21 files on every rank takes longer")
    summary = found.findings[0].summary or ""
    assert "Ranks asked about files in 1,344 stats." in summary
    assert "opens" not in summary
    assert "a file got" not in summary


@pytest.mark.parametrize(("stats", "opens"), [(500_000, 1), (500_000, 0), (50_000, 2_000), (300, 1)])
def test_who_asks_about_a_file_of_its_own_all_the_time_may_wait_for_it(stats: int, opens: int) -> None:
    """Also one that is not there yet, or that nobody opens. A file that is opened at each step is asked about for that,
    and a few hundred times nobody waits."""
    own = Part("/scratch/sem/{}.done", RANKS, reads=opens, size=4, opens=opens, stats=stats, meta_s=95.0, reach=4)
    found = document(Work((own,), nprocs=64, runtime_s=600.0, nodes=2)).findings
    (said,) = (f for f in found if f.rule == "metadata-bound" and f.verdict == "triggered")
    waits = stats == 500_000
    assert ("sleep a few seconds" in " ".join(one.text for one in said.advice)) is waits
    assert (said.could_save_s is None) is waits
    assert (said.could_save_s is None) is waits


def test_of_files_that_are_only_read_it_is_said_what_was_read_of_them() -> None:
    one = Part("/scratch/case.yaml", RANKS, opens=20, reads=1, size=4096, meta_s=30.0, reach=4096)
    found = document(Work((one,), nprocs=64, runtime_s=60.0, nodes=2))
    said = next(f for f in found.findings if f.rule == "metadata-bound").summary or ""
    assert "256 KiB were read per file on average" in said
