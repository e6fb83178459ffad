"""Lines and line numbers, whatever the bytes are."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from odd_stream import OddStream

from iotriage_parsers.text.lines import LineSource, printable

CAP = 64 * 1024


def lines(data: bytes, chunk_bytes: int = 2**20, cap: int = CAP) -> list[tuple[int, bytes]]:
    found = []
    for chunk in LineSource(io.BytesIO(data), cap, chunk_bytes):
        found += enumerate(chunk.data.split(b"\n")[:-1], chunk.first)
    return found


@pytest.mark.parametrize(
    "data",
    [
        b"one\ntwo\nthree\n",
        b"one\ntwo\nthree",
        b"one\rtwo\rthree\r",
        "one\u2028two\u2029three".encode(),
        b"\xef\xbb\xbfone\ntwo\nthree\n",
    ]
    + ["one\ntwo\nthree\n".encode(e) for e in ("utf-16", "utf-32")]
    + [b"\xfe\xff" + "one\ntwo\nthree\n".encode("utf-16-be")]
    + ["one\ntwo\nthree\n".encode(e) for e in ("utf-16-le", "utf-16-be")],
)
def test_encodings_and_line_ends_make_no_difference(data: bytes) -> None:
    assert lines(data) == [(1, b"one"), (2, b"two"), (3, b"three")]


def test_unmarked_utf16_is_no_damage() -> None:
    source = LineSource(io.BytesIO("one\ntwo\n".encode("utf-16-le")), CAP)
    assert [chunk.data for chunk in source] == [b"one\ntwo\n"]
    assert source.problems() == ()


def test_nuls_after_a_text_are_no_utf16() -> None:
    source = LineSource(io.BytesIO(b"one\ntwo\n" + b"\0" * 500), CAP)
    assert next(iter(source)).data == b"one\ntwo\n"


def test_what_has_no_width_is_taken_out() -> None:
    assert lines("| \u200bMPIIO\u2060 w\ufeff\n".encode()) == [(1, b"| MPIIO w")]
    assert lines("\u200e| MPIIO\u200f \u202aw\u202c\u2063\n".encode()) == [(1, b"| MPIIO w")]
    assert lines("| \u200cMPI\u200dIO\u200b\u200c w\u200d\u200d\n".encode()) == [(1, b"| MPIIO w")]


@pytest.mark.parametrize("name", ["می\u200cخواهم.nc", "क\u094d\u200dष.h5", "👩\u200d🔬.dat"])
def test_a_joiner_between_letters_of_other_scripts_is_a_part_of_a_name(name: str) -> None:
    assert lines(f"file {name}\n".encode()) == [(1, f"file {name}".encode())]


@pytest.mark.parametrize("run", ["\u2009", "\u200c", "\u202f\u200d"])
def test_a_long_run_of_what_has_no_width_costs_little(run: str) -> None:
    """Not timed: what begins anew at each of them runs into the time limit of the whole test run."""
    name = f"é{run * 100_000}é".encode()
    assert lines(name, cap=2**20) == [(1, name)]


def test_blanks_of_any_kind_are_blanks() -> None:
    assert lines("a\xa0 =\u2003\u30001&nbsp;b\n".encode()) == [(1, b"a  =  1 b")]
    assert lines("20\u202f480\n".encode()) == [(1, "20\u202f480".encode())]


def test_crlf_in_a_file_of_crs_is_one_end() -> None:
    head = b"x\r" * CAP
    assert lines(head + b"a\r\nb\r") == [*((n, b"x") for n in range(1, CAP + 1)), (CAP + 1, b"a"), (CAP + 2, b"b")]


def test_a_cr_within_a_line_does_not_count_as_a_line() -> None:
    assert [n for n, _ in lines(b"10%\r20%\r30%\ndone\n")] == [1, 2]


def test_a_long_line_comes_empty_and_is_said() -> None:
    source = LineSource(io.BytesIO(b"a\n" + b"x" * (CAP + 1) + b"\nb\n" + b"y" * CAP + b"\n"), CAP)
    chunk = b"".join(chunk.data for chunk in source)
    assert chunk == b"a\n\nb\n" + b"y" * CAP + b"\n"
    (problem,) = source.problems()
    assert (problem.code, problem.line) == ("line-too-long", 2)


def test_a_long_line_over_many_chunks_is_counted_once() -> None:
    data = b"a\n" + b"x" * 5000 + b"\nb\n" + b"y" * 7000
    source = LineSource(io.BytesIO(data), 100, chunk_bytes=64)
    assert b"".join(chunk.data for chunk in source) == b"a\n\nb\n"
    (problem,) = source.problems()
    assert "line 2 " in problem.message
    assert "1 more" in problem.message


def test_nuls_are_taken_out_and_counted() -> None:
    source = LineSource(io.BytesIO(b"a\nb\0c\nd\n" + b"\0" * 4096), CAP)
    assert b"".join(chunk.data for chunk in source).startswith(b"a\nbc\nd\n")
    (problem,) = source.problems()
    assert problem.message.startswith("file has 4,097 NUL bytes, likely truncated by a node crash")
    assert problem.line == 2
    assert problem.loses_data


def test_what_stands_on_both_sides_of_a_hole_is_not_joined() -> None:
    assert lines(b"12" + b"\0" * 4096 + b"34\n") == [(1, b"12\x1a34")]


def test_escape_sequences_go_and_their_lines_are_known() -> None:
    data = b"plain\n\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b]8;;http://a\x1b\\y\x1b(B\n"
    (chunk,) = LineSource(io.BytesIO(data), CAP)
    assert chunk.data == b"plain\nred xy\n"
    assert chunk.coloured == {2}


@pytest.mark.parametrize("escape", ["^[", r"\033", r"\x1b", r"\e", ""])
def test_colours_without_their_escape_characters(escape: str) -> None:
    text = f"{escape}[1;32ma{escape}[0m = [m] [32m] 5{escape}[0m\nunits [m] [2m of 3m\n"
    (chunk,) = LineSource(io.BytesIO(text.encode()), CAP)
    assert chunk.data == b"a = [m] [32m] 5\nunits [m] [2m of 3m\n"
    assert chunk.coloured == {1}


def test_what_a_page_has_around_a_text_as_it_was_printed() -> None:
    page = '<html><title>a</title><body><pre class="x"><code>one\n<pre>two\n a < pre\nthree</code></pre></body>\n'
    assert [line for _, line in lines(page.encode())] == [b"one", b"two", b" a < pre", b"three"]
    report = b"<testsuite><system-out><![CDATA[one\na[b[0]]>1\ntwo]]></system-out></testsuite>\n"
    assert [line for _, line in lines(report)] == [b"one", b"a[b[0]]>1", b"two"]


def test_line_ends_that_were_written_out() -> None:
    assert lines(b"a = 5^M\nx^My\n") == [(1, b"a = 5"), (2, b"x^My")]


def test_unfinished_escape_sequences_take_nothing_with_them() -> None:
    first, second = lines(b"a\x1b]0;no end\nnext\x1b[31")
    assert first[1].startswith(b"a")
    assert second[1].startswith(b"next")


def test_nothing_that_a_terminal_obeys_is_left() -> None:
    assert printable("a\x1b[2Jb\tc\x9b\u202e\xa0d") == "a\\x1b[2Jb\tc\\x9b\\u202e d"


@given(
    st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\0", b"\x1b[1m", b"\xff", b"x" * 40]), max_size=60),
    st.integers(1, 70),
)
def test_where_chunks_end_changes_nothing(pieces: list[bytes], chunk_bytes: int) -> None:
    data = b"start\n" + b"".join(pieces)
    assert lines(data, chunk_bytes, cap=50) == lines(data, cap=50)
    odd = LineSource(OddStream(data), 50)
    assert b"".join(c.data for c in odd) == b"".join(c.data for c in LineSource(io.BytesIO(data), 50))


@given(st.binary(max_size=400), st.integers(1, 64))
def test_any_bytes_give_numbered_lines(data: bytes, chunk_bytes: int) -> None:
    numbers = [n for n, _ in lines(data, chunk_bytes, cap=32)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_dashes_and_blanks_of_word_processors() -> None:
    assert lines("IOR\u20113.2.1\u00ad: \u22121 a \u2009b\u202f c\n".encode()) == [(1, b"IOR-3.2.1: -1 a  b  c")]
    assert lines("file\u2013name 20\u2009480\n".encode()) == [(1, "file\u2013name 20\u2009480".encode())]


def test_letters_that_a_document_sets_as_one() -> None:
    assert lines("\ufb01le o\ufb03ce \ufb02ush\n".encode()) == [(1, b"file office flush")]
