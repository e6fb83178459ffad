"""Texts as chats, mails and word processors send them: with fences on the lines, with blank lines between."""

from __future__ import annotations

import re
import tracemalloc
from io import BytesIO

import pytest
from stats_text import REPOSITORY, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import (
    BenchmarkRates,
    Evidence,
    Failure,
    IoError,
    MpichEnvironment,
    MpiioHints,
    Part,
    StorageLayout,
    SystemErrors,
)
from iotriage_parsers.repeated_texts import one_copy
from iotriage_parsers.text.double_spaced import is_double_spaced
from iotriage_parsers.text.markup import without_markup

SAMPLES = REPOSITORY / "sample-logs"
TEXTS = {
    path.name: path.read_text(encoding="utf-8")
    for path in (
        SAMPLES / "fio" / "text-and-json" / "fio-seq.txt",
        *sorted((SAMPLES / "ior").rglob("*.txt"))[:3],
        *sorted((SAMPLES / "lfs_getstripe").rglob("*.txt"))[:2],
        *sorted((SAMPLES / "mpich_hints").rglob("*.txt"))[:2],
        *sorted((SAMPLES / "mpich_timers").rglob("*.txt"))[:2],
        *sorted((SAMPLES / "dlio").rglob("*.log"))[:1],
    )
}
_PLACES = re.compile(r"\b(first|last|\w*line)=\d+")


def without_places(parts: tuple[Part, ...]) -> list[str]:
    return sorted(_PLACES.sub(r"\1=", repr(part)) for part in parts)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_fence_on_the_first_and_last_line_is_none_of_them(name: str) -> None:
    text = TEXTS[name].rstrip("\n")
    for fenced in (
        f"```{text}```\n",
        f"A. User  10:12\n```{text}\n```\n",
        f"> ```{text}```".replace("\n", "\n> ") + "\n",
    ):
        assert without_places(read(fenced).parts) == without_places(read(text + "\n").parts)


@pytest.mark.parametrize("line", [" " * 60_000 + "```", "> " * 30_000 + "```", "```" * 20_000, "x``` " * 12_000 + "y"])
def test_a_long_line_with_fences_is_looked_at_once(line: str) -> None:
    """Not timed: what backtracks on 60 kB runs into the time limit of the whole test run."""
    assert without_markup(line)[0].strip().startswith(line.strip()[:1])


def test_a_fence_of_four_is_left_as_it_stands() -> None:
    assert without_markup("````IOR-4.0.0: MPI Coordinated") == ("````IOR-4.0.0: MPI Coordinated", [])
    assert without_markup("> ```IOR-4.0.0: MPI Coordinated") == ("> IOR-4.0.0: MPI Coordinated", ["fence"])


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_blank_lines_that_were_put_between_all_lines_are_none(name: str) -> None:
    text = TEXTS[name] if TEXTS[name].endswith("\n") else TEXTS[name] + "\n"
    spaced = read(text.replace("\n", "\n\n"))
    assert without_places(spaced.parts) == without_places(read(text).parts)
    assert any(p.code == "stripped" and "blank line" in p.message for p in spaced.problems)


def test_texts_with_blank_lines_here_and_there_are_not_double_spaced() -> None:
    assert not is_double_spaced(["a", "", "b", "c", "", "d", "", "e", "f", "g", ""])
    assert not is_double_spaced(["a", "", "b", "", "c", ""])
    assert is_double_spaced(["a", "", "b", "", "", "", "c", "", "d", "", "e", "", "f", "", "g"])


def test_the_language_of_a_fence_is_no_line() -> None:
    warning = "MPIIO WARNING: DVS stripe width of 32 was requested but DVS set it to 28"
    assert read(f"```text\n{warning}\n```\n").problems == ()


@pytest.mark.parametrize("reader", ["mdtest", "io500", "fio", "elbencho", "dlio"])
def test_a_benchmark_of_whose_figures_none_is_read_says_so(reader: str) -> None:
    """As where a spreadsheet parted the columns."""
    texts = [p for p in sorted((SAMPLES / reader).rglob("*")) if p.suffix in (".txt", ".log")]
    assert texts
    for path in texts:
        parted = re.sub(r"(?<=\S) {2,}(?=\S)| (?=\d)", ";", path.read_text(encoding="utf-8"))
        answer = detect.read(BytesIO(parted.encode()))
        if isinstance(answer, Evidence) and not any(part.rates for part in answer.of(BenchmarkRates)):
            assert answer.status != "complete" or not answer.of(BenchmarkRates)


@pytest.mark.parametrize(("between", "times"), [("", 2), ("\n\n", 4), ("  \r\n", 3)])
def test_a_text_that_was_pasted_several_times_is_read_once(between: str, times: int) -> None:
    text = (SAMPLES / "mpich_warnings/quota-while-writing/ridge-7410220.err.txt").read_text(encoding="utf-8")
    evidence = read(between.join([text] * times))
    assert without_places(evidence.parts) == without_places(read(text).parts)
    said = "twice" if times == 2 else f"{times} times"
    assert any(f"stands in it {said}" in p.message for p in evidence.problems)


def test_a_text_whose_lines_begin_alike_is_read_once_too() -> None:
    """As errors of the same file do, ends of an indented box, and what a shell and a program print in front."""
    place = "ADIOI_CRAY_WRITECONTIG(131): filename='/scratch/bay/tide/very/long/name/of/a/run/out.nc'  "
    rest = "error='Disk quota exceeded'  errno=122  PE={:010}  W_rec=0000000000  off=0000000000  len=0000000010  \n"
    errors = "".join(place + rest.format(rank) for rank in range(12))
    for pasted, said in ((errors * 2, "twice"), (errors * 3, "3 times"), ("\n".join([errors.strip()] * 5), "5 times")):
        evidence = read(pasted)
        assert [found.count for found in evidence.of(IoError)] == [12]
        assert any(f"stands in it {said}" in p.message for p in evidence.problems)
    beegfs = (SAMPLES / "storage_layout/four-file-systems/beegfs-fjord.txt").read_text(encoding="utf-8")
    assert len(read(f"{beegfs}\n" * 2).of(StorageLayout)) == len(read(beegfs).of(StorageLayout))


@pytest.mark.parametrize("line", [b"a\r\n", b"ab\n\n\n", b"0: .\n"])
def test_copies_are_not_looked_for_by_each_short_line(line: bytes) -> None:
    text = BytesIO(line * 200_000)
    tracemalloc.start()
    assert one_copy(text) is None
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * len(text.getvalue())


@pytest.mark.parametrize("text", ["\n", " \t\r\n\n", "\f\n" * 40])
def test_a_text_of_blanks_has_nothing_in_it(text: str) -> None:
    found = detect.read(BytesIO(text.encode()))
    assert isinstance(found, Failure)
    assert found.code == "unrecognised"


def test_what_a_program_says_again_is_counted_again() -> None:
    text = "forrtl: Disk quota exceeded, unit 9\n" * 40
    assert [found.count for found in read(text).of(SystemErrors)] == [40]
    run = "".join(f"rank {n % 3}: forrtl: Disk quota exceeded, unit 9\n" for n in range(60))
    assert [found.count for found in read(run).of(SystemErrors)] == [60]


INFO = "MPI File Info: nkeys = 3\n" + "".join(
    f"MPI File Info: [ {n}] key = {key:>24}, flag = 1, valuelen = {len(value)} value = {value}\n"
    for n, (key, value) in enumerate(
        (("cb_buffer_size", "16777216"), ("romio_cb_read", "automatic"), ("cb_nodes", "8"))
    )
)


@pytest.mark.parametrize("quote", ["", "> "])
def test_a_hint_that_a_mail_broke_before_its_value_has_it(quote: str) -> None:
    sent = "".join(f"{quote}{line}\n" for line in INFO.replace("value = ", "value =\n").splitlines())
    (found,), (whole,) = read(sent).of(MpiioHints), read(INFO).of(MpiioHints)
    assert [(h.key, h.value) for h in found.hints] == [(h.key, h.value) for h in whole.hints]
    assert found.complete


def test_a_value_that_is_missing_is_not_the_next_line() -> None:
    (found,) = read(INFO.replace("value = 8\n", "value =\n") + "done\n").of(MpiioHints)
    assert found.hints[-1].value == ""


def test_tabs_between_a_hints_columns_are_blanks() -> None:
    (found,) = read(INFO.replace("key =  ", "key =\t")).of(MpiioHints)
    assert [h.value for h in found.hints] == ["16777216", "automatic", "8"]


FAILED = (
    "ADIOI_CRAY_WRITECONTIG(288): filename='/bay/run/out.nc'  error='Input/output error'  errno=5  PE=00013  "
    "W_rec=00007  off=7235174400  len=0004194304  See MPICH_MPIIO_ABORT_ON_RW_ERROR.\n"
)


def test_quotes_of_a_word_processor_around_names_are_quotes() -> None:
    for left, right in (("\u2018", "\u2019"), ("\u2019", "\u2019"), ("`", "\u00b4")):
        sent = re.sub("'([^']*)'", rf"{left}\1{right}", FAILED)
        assert without_places(read(sent).parts) == without_places(read(FAILED).parts)


@pytest.mark.parametrize("before", ["> ", "0: ", "    ", "05.03.2026 10:00:00 ", "> > "])
def test_what_stands_before_a_line_is_none_of_the_words_that_go_on_there(before: str) -> None:
    head, _, rest = FAILED.partition("output error")
    (found,) = read(f"{before}0013: {head}\n{before}output error{rest}").of(IoError)
    assert (found.message, found.errno, found.length_bytes) == ("Input/output error", 5, 4194304)


def test_bars_before_the_words_of_an_error_are_a_tickets() -> None:
    (found,) = read("| cp: error writing 'a.log': Disk quota exceeded\n").of(SystemErrors)
    assert found.message == "cp: error writing 'a.log': Disk quota exceeded"


def test_a_processor_whose_line_lost_its_indentation_is_one() -> None:
    shown = "PE 0: MPICH processor detected:\nPE 0:{}AMD Rome (23:49:0) (family:model:stepping)\n"
    setting = "PE 0: MPICH environment settings:\nPE 0:   MPICH_ENV_DISPLAY              = 1\n"
    for blanks in ("   ", " "):
        (found,) = read(shown.format(blanks) + setting).of(MpichEnvironment)
        assert found.processor == "AMD Rome (23:49:0) (family:model:stepping)"
