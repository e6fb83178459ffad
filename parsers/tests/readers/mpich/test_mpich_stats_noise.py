"""The same blocks in other clothes: labels, times, quoting, encodings, noise, odd chunks, damage."""

from __future__ import annotations

import html
import io

import pytest
from budget import dice, examples, tries
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_stream import OddStream
from stats_text import SAMPLES, block, blocks, codes, message, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, Failure, MpiioStats
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.mpich_stats import reader
from iotriage_parsers.text.scan import scan

PLAIN = block()


def figures(found: MpiioStats) -> tuple[object, ...]:
    """Everything but where it stands."""
    fields = tuple((f.label, f.text, f.number) for f in found.fields)
    return (
        found.direction,
        found.file,
        found.complete,
        found.trusted,
        found.aggregators_active,
        found.total_bytes,
        fields,
    )


def each_line(text: str, before: str, after: str = "") -> str:
    return "".join(f"{before}{line}{after}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.replace("\n", "\r\n").encode(),
        PLAIN.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + PLAIN.encode(),
        PLAIN.encode("utf-16"),
        PLAIN.replace("\n", "  \n").encode(),
        each_line(PLAIN, "    ").encode(),
    ],
    ids=["crlf", "cr", "utf-8 mark", "utf-16", "trailing blanks", "indented"],
)
def test_clothes_that_need_no_word(data: bytes) -> None:
    evidence = read(data)
    assert figures(evidence.of(MpiioStats)[0]) == figures(blocks(PLAIN)[0])
    assert evidence.problems == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (each_line(PLAIN, "  0: "), ["launcher labels"]),
        (each_line(PLAIN, "0013: "), ["launcher labels"]),
        (each_line(PLAIN, "[1,7]<stderr>:"), ["launcher labels"]),
        (each_line(PLAIN, "x3006c0s13b1n0.hsn.cm.polaris.alcf.anl.gov 5: "), ["launcher labels", "node names"]),
        (each_line(PLAIN, "> "), ["ticket quoting"]),
        (each_line(PLAIN, ">> "), ["ticket quoting"]),
        (each_line(PLAIN, "> `", "`  "), ["ticket quoting"]),
        (each_line(PLAIN, "`", "`"), ["the backquotes"]),
        (each_line(PLAIN, "job.err| "), ["a repeated prefix"]),
        (each_line(PLAIN, "\x1b[31m", "\x1b[0m"), ["terminal colours"]),
        (html.escape(PLAIN).replace("+", "&#43;"), ["HTML entities"]),
    ],
)
def test_clothes_that_are_taken_off_and_said(text: str, words: list[str]) -> None:
    evidence = read("noise\n" + text + "noise\n")
    (found,) = evidence.of(MpiioStats)
    assert figures(found) == figures(blocks(PLAIN)[0])
    assert (found.lines.first, found.lines.last) == (2, 20)
    said = sorted(p.message for p in evidence.problems)
    assert [s[: len(w)] for s, w in zip(said, sorted(words), strict=True)] == sorted(words)
    assert set(codes(evidence)) == {"stripped"}


def test_times_differ_from_line_to_line() -> None:
    lines = [f"2026-11-20T17:00:{n:02d}.{n * 7} nid001234 [0] {line}" for n, line in enumerate(PLAIN.splitlines())]
    evidence = read("\n".join(lines) + "\n")
    assert figures(evidence.of(MpiioStats)[0]) == figures(blocks(PLAIN)[0])
    assert len([p for p in evidence.problems if p.code == "stripped"]) == 3


def test_windows_1252_names_are_read_and_said() -> None:
    evidence = read(block("/work/résultat – 1").encode("cp1252"))
    assert evidence.of(MpiioStats)[0].file == "/work/résultat – 1"
    assert codes(evidence) == ["encoding"]


def test_colours_elsewhere_are_nobodys_concern() -> None:
    assert read("\x1b[32mok\x1b[0m\n" + PLAIN + "\x1b[32mok\x1b[0m\n").problems == ()


def test_ranks_are_told_apart_by_their_labels() -> None:
    one, other = (block(f"{n}.dat", system_writes=str(n)).splitlines() for n in (5, 6))
    lines = [line for n, pair in enumerate(zip(one, other, strict=True)) for line in _labelled(n, *pair)]
    found = blocks("\n".join(lines) + "\n")
    assert [(b.file, b.system_accesses, b.complete, b.trusted) for b in found] == [
        ("5.dat", 5, True, True),
        ("6.dat", 6, True, True),
    ]


def _labelled(number: int, one: str, other: str) -> list[str]:
    pair = [f"  3: {one}", f"117: {other}"]
    return [*(pair if number % 3 else pair[::-1]), " 40: other ranks print too"]


NOISE = st.lists(
    st.sampled_from(
        [
            "step 12  residual = 1.2e-5",
            "+-------------------------------+----------------------+----------------------+",
            "| N/A   29C    P0    54W / 400W |      0MiB / 40960MiB |      0%      Default |",
            "|   |-> 2.86e+02 sec 91.2% 0.0% 0.8% 0.1% 0.00e+00 1 PHDF5::WriteOutputFileRealPrec [region]",
            "|",
            "PE 0: MPIIO hints for a.dat:",
            "          cb_buffer_size           = 16777216",
            " 1: MPIIO WARNING: DVS stripe width of 2 was requested but DVS set it to 1",
            "",
            "0: 0",
            "> quoted",
            "\x1b[1mbold\x1b[0m",
            "10%\r20%\r30%",
            "é ü",
            "| a | table | of | something = else |",
        ]
    ),
    max_size=60,
)


@given(NOISE, NOISE, NOISE)
@settings(max_examples=examples(10))
def test_noise_around_a_block_changes_nothing_but_line_numbers(
    before: list[str], between: list[str], after: list[str]
) -> None:
    lines = [*before, *block("a").splitlines(), *between, *block("b").splitlines(), *after]
    evidence = read("\n".join(lines) + "\n")
    others = ("hints of", "launcher labels")
    assert all(p.message.startswith(others) for p in evidence.problems)
    first, second = evidence.of(MpiioStats)
    assert [figures(first), figures(second)] == [figures(f) for f in blocks(block("a") + block("b"))]
    assert first.lines.last == len(before) + 19
    assert second.lines.last == len(before) + len(between) + 38
    assert [f.line for f in first.fields] == list(range(len(before) + 3, len(before) + 18))


@given(st.lists(st.integers(1, 400), min_size=1, max_size=5).map(tuple), st.integers(1, 3000))
@settings(max_examples=examples(10))
def test_how_the_bytes_arrive_changes_nothing(sizes: tuple[int, ...], chunk_bytes: int) -> None:
    text = ("noise " * 9 + "\n") * 30 + block("a") + each_line(block("b"), " 4: ") + "noise\n" * 99 + block("c")
    whole = scan(io.BytesIO(text.encode()), [reader], Limits())
    assert scan(OddStream(text.encode(), sizes), [reader], Limits(), chunk_bytes) == whole


SAMPLE_TEXTS = sorted(SAMPLES.glob("*/*.txt"))


@pytest.mark.fuzz
@pytest.mark.parametrize("path", SAMPLE_TEXTS, ids=lambda p: p.parent.name)
def test_damage_is_survived_and_never_adds_a_file(path) -> None:
    data = path.read_bytes()
    whole = {b.file for b in read(data).of(MpiioStats)}
    chance = dice(path.name)
    for _ in range(20):
        cut = detect.read(io.BytesIO(data[: chance.randrange(len(data))]))
        assert isinstance(cut, Failure) or all(any(f.startswith(b.file) for f in whole) for b in cut.of(MpiioStats))
    for _ in range(tries(8, 200)):
        flipped = bytearray(data)
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        answer = detect.read(io.BytesIO(bytes(flipped)))
        assert isinstance(answer, Evidence | Failure)


@pytest.mark.fuzz
@pytest.mark.parametrize("path", SAMPLE_TEXTS, ids=lambda p: p.parent.name)
def test_a_cut_never_changes_a_number(path) -> None:
    """What is read of a cut text are numbers of the whole one, in the same fields."""
    data = path.read_bytes()
    known = {(b.file, f.label, f.number) for b in read(data).of(MpiioStats) for f in b.fields}
    start = data.index(b"access patterns")
    for end in range(start, min(start + 1500, len(data)), tries(41, 7)):
        cut = detect.read(io.BytesIO(data[:end]))
        if isinstance(cut, Evidence):
            found = {(b.file, f.label, f.number) for b in cut.of(MpiioStats) for f in b.fields if f.number is not None}
            assert found <= known


def test_bins_of_no_aggregators_are_no_shares() -> None:
    text = block(aggregators_active="16384,0,0,0 (1, <= 1, > 1, 0)")
    assert blocks(text)[0].aggregators_active is None
    assert codes(read(text)) == ["unrecognised-number"]


@pytest.mark.parametrize("form", ["{:6d}\t{}", "{}:{}", "{:3d}: {}", "> {:6d}\t{}"])
def test_numbered_lines_are_one_writers(form: str) -> None:
    """`cat -n`, `grep -n`, an editor's margin, and a mail with one of them."""
    lines = f"loading\nlinked\n{block('a')}done\n{block('b')}".splitlines()
    evidence = read("\n".join(form.format(number, line) for number, line in enumerate(lines, 995)) + "\n")
    assert [b.file for b in evidence.of(MpiioStats)] == ["a", "b"]
    assert evidence.status == "complete"
    assert "line numbers removed from " in message(evidence, "stripped")
    # The same where the paste begins with the block.
    alone = read("\n".join(form.format(n, line) for n, line in enumerate(block("a").splitlines(), 995)) + "\n")
    assert (len(alone.of(MpiioStats)), alone.status) == (1, "complete")


def test_ranks_that_write_one_after_the_other_are_no_line_numbers() -> None:
    """Each of two communicators' roots prints its block, behind a line of every rank before it."""
    hello = "".join(f"{rank}: hello\n" for rank in range(8))
    labelled = "".join(
        f"8: {one}\n16: {other}\n" for one, other in zip(block("a").splitlines(), block("b").splitlines(), strict=True)
    )
    evidence = read(hello + labelled)
    assert [b.file for b in evidence.of(MpiioStats)] == ["a", "b"]
    assert "launcher labels" in message(evidence, "stripped")


@pytest.mark.parametrize("form", ["{:6d}\t{}", "{}:{}"])
def test_a_text_that_is_numbered_from_its_first_line_is_read(form: str) -> None:
    """A block that begins with the text: there are no lines before it to tell by."""
    folder = SAMPLES.parent
    for name in (
        "darshan_parser_text/shared-indep-unaligned/cells.darshan.txt",
        "lfs_getstripe/plain/plume-7204411.getstripe.txt",
    ):
        text = (folder / name).read_text()
        plain = read(text)
        evidence = read("".join(form.format(n, line) + "\n" for n, line in enumerate(text.splitlines(), 1)))
        assert (evidence.reader, evidence.status) == (plain.reader, plain.status)
        assert [p.kind for p in evidence.parts] == [p.kind for p in plain.parts]
    greeted = "".join(f"{rank}: hello\n" for rank in range(4)) + "".join(f"0: {line}\n" for line in PLAIN.splitlines())
    assert "launcher labels" in message(read(greeted), "stripped")


def test_a_figure_that_was_broken_is_none() -> None:
    for row, rest in (("= 1605", "= 16\n05"), ("= 8 GiB", "= 8 GiB\n3 steps done"), ("= 1605", "= 1605\n12")):
        text = block("a", system_writes="1605", total_bytes_for_writes="8589934592 = 8192 MiB = 8 GiB")
        assert row in text
        (found,) = read(text.replace(row, rest, 1)).of(MpiioStats)
        assert (found.system_accesses, found.total_bytes) == (None if rest[-1].isdigit() else 1605, 8589934592)


@pytest.mark.parametrize("label", ["0: ", "2026-11-20T10:00:00.000003Z 01O ", "> "])
def test_a_figure_that_a_terminal_broke_behind_a_label_is_none(label: str) -> None:
    text = "".join(f"{label}{line}\n" for line in block("a", system_writes="1605").splitlines())
    (found,) = read(text.replace("= 1605", "= 16\n05", 1)).of(MpiioStats)
    assert (found.system_accesses, found.complete, found.trusted) == (None, False, True)


@pytest.mark.parametrize("rows", [1, 5, 9])
def test_rows_that_somebody_searched_for_are_those_of_the_title_above_them(rows: int) -> None:
    """`grep -A 5 "access patterns"`, and with names of rows: no rule stands between the blocks."""
    found = [block(name, system_writes=str(n)).splitlines() for n, name in enumerate("abc", 1)]
    evidence = read("--\n".join("\n".join(lines[1 : 2 + rows]) + "\n" for lines in found))
    stats = evidence.of(MpiioStats)
    assert [(b.file, b.trusted, b.complete, len(b.fields)) for b in stats] == [(n, True, False, rows) for n in "abc"]
    assert [b.system_accesses for b in stats] == ([1, 2, 3] if rows == 9 else [None] * 3)
    assert set(codes(evidence)) == {"unterminated"}


def test_rows_of_two_writers_that_somebody_searched_for_stay_mixed() -> None:
    pairs = zip(block("a").splitlines()[1:8], block("b").splitlines()[1:8], strict=True)
    evidence = read("".join(f"{one}\n{other}\n" for one, other in pairs))
    assert [b.trusted for b in evidence.of(MpiioStats)] == [False, False]
    assert "interleaved" in codes(evidence)
