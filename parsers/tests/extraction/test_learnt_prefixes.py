"""What stands before every line and is of no make that is known."""

from __future__ import annotations

from itertools import chain, zip_longest

import pytest
from stats_text import REPOSITORY, block, read

from iotriage_parsers.evidence import BenchmarkRates, JobContext, MpichEnvironment, MpiioHints, MpiioStats
from iotriage_parsers.extraction.learnt_prefixes import learnt_form

TEXT = (
    f"hello\n\n{block('a.dat')}key = cb_nodes   value = 4\nkey = striping_unit   value = 8\nMPI VERSION : CRAY MPICH\n"
)
SCRIPT = "#!/bin/bash\n#SBATCH -N 4\n#SBATCH -n 64\n\nexport MPICH_MPIIO_STATS=1\nmodule load x\nsrun ./a\n"


def prefixed(text: str, prefix: str) -> str:
    return "".join(prefix.format(n, n * 7) + line for n, line in enumerate(text.splitlines(keepends=True), 1))


@pytest.mark.parametrize(
    "prefix",
    [
        "AL> ",
        "rank 0: ",
        "[{0:8.3f}s] ",
        "[{0:02} {1:3}ms] {{app.py:12}} INFO - ",
        '2024-05-01 10:00:{0:02}\t{{"job":"mpi"}}\t',
        "Ada (helpdesk) | ",
        "      * ",
        "\u00bb ",
    ],
)
def test_what_every_line_begins_with_is_taken_off(prefix: str) -> None:
    evidence, bare = read(prefixed(TEXT, prefix)), read(TEXT)
    for kind in (MpiioStats, MpiioHints):
        assert evidence.of(kind) == bare.of(kind)
    assert read(prefixed(SCRIPT, prefix)).of(JobContext) == read(SCRIPT).of(JobContext)


def test_ranks_that_a_word_names_are_told_apart() -> None:
    of_each = [prefixed(block(name), f"<rank {rank}> ").splitlines() for rank, name in ((3, "a"), (12, "b"))]
    mixed = chain.from_iterable(zip_longest(*of_each, fillvalue="<rank 3> done"))
    assert {(found.file, found.complete) for found in read("\n".join(mixed)).of(MpiioStats)} == {
        ("a", True),
        ("b", True),
    }


def test_what_blocks_begin_with_and_the_signs_of_comments_stay() -> None:
    display = "".join(f"PE 0:   MPICH_MPIIO_{name} = 1\n" for name in ("STATS", "TIMERS", "CB_ALIGN", "A", "B", "C"))
    (environment,) = read(f"PE 0: MPICH MPIIO environment settings:\n{display}").of(MpichEnvironment)
    assert len(environment.settings) == 6
    assert not read(f"{block()}{prefixed(SCRIPT, '# ')}").of(JobContext)
    banners = "".join(f"MPI VERSION    : CRAY MPICH version 8.1.{n}.7 (ANL base 3.4a2)\n" for n in range(8))
    assert len(read(block() + banners).of(MpichEnvironment)) > 0
    assert not read(block() + banners).problems


def test_a_name_behind_a_time_and_words_is_none_of_theirs() -> None:
    fio = (REPOSITORY / "sample-logs/fio/text-and-json/fio-seq.txt").read_text(encoding="utf-8")
    (found,) = read(prefixed(fio, '2024-05-01 10:00:{0:02}\t{{"job":"mpi"}}\t')).of(BenchmarkRates)
    assert found.rates == read(fio).of(BenchmarkRates)[0].rates


@pytest.mark.parametrize(("telling", "most"), [(0, 0), (2, 150)])
def test_what_all_lines_share_is_tried_on_those_in_which_a_block_may_begin(telling: int, most: int) -> None:
    """Of words that nearly all lines have there are many prefixes, and of readers dozens."""
    text = "".join(
        f"step {n} of 900 : a b c d e f g h i j k l m n {'MPIIO' if n < telling else ''}\n" for n in range(300)
    )
    asked: list[bytes] = []
    assert learnt_form(text.encode(), lambda line: b"MPIIO" in line, asked.append) is None
    assert len(asked) <= most
