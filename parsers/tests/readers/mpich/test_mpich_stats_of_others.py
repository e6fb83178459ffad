"""Statistics of others: those that were damaged or made to lie, and those that were published."""

from __future__ import annotations

import io

import pytest
from stats_text import blocks, codes, extra, message, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, Failure, MpiioStats, Problem

HOSTILE = extra("hostile", "text")


PUBLIC = extra("samples", "mpiio")


CONTROL = {
    "independent accesses": 2,
    "collective accesses": 4096,
    "independent accessors": 1,
    "aggregators": 24,
    "stripe count": 24,
    "stripe size": 1048576,
    "system accesses": 6145,
    "stripe sized accesses": 6144,
    "total bytes for accesses": 6442450968,
    "ave system access size": 1048405,
    "read-modify-write count": 0,
    "read-modify-write bytes": 0,
    "number of access gaps": 2,
    "ave access gap size": 524336,
}


def hostile(name: str) -> Evidence | Failure:
    assert HOSTILE is not None
    path = HOSTILE / name
    if not path.exists():
        pytest.skip(f"{name} is not there")
    with path.open("rb") as stream:
        return detect.read(stream)


def numbers(found: MpiioStats) -> dict[str, int | float | None]:
    return {f.label: f.number for f in found.fields if f.label != "aggregators active"}


def loss(problem: Problem) -> tuple[str, int | None]:
    return problem.code, problem.line


@pytest.mark.skipif(HOSTILE is None, reason="no extra corpora")
class TestHostileTexts:
    """The answers that the hostile texts want."""

    @pytest.mark.parametrize(
        ("name", "problems"),
        [
            ("00_control.txt", []),
            ("04_crlf.txt", []),
            ("05_cr_only.txt", []),
            ("07_utf16_bom.txt", []),
            ("08_utf8_bom.txt", []),
            ("09_gz.txt.gz", []),
            ("03_nul_bytes.txt", ["damaged"]),
            ("06_latin1.txt", ["encoding"]),
            ("12_no_closing_bar.txt", ["unterminated"]),
            ("19_ansi.txt", ["stripped"]),
            ("20_srun_label.txt", ["stripped"]),
            ("22_timestamps.txt", ["stripped"] * 3),
            ("23_duplicated.txt", ["duplicate-block"]),
            ("38_md_quoted.txt", ["stripped"]),
        ],
    )
    def test_the_control_block_in_other_clothes(self, name: str, problems: list[str]) -> None:
        evidence = hostile(name)
        assert isinstance(evidence, Evidence)
        (found,) = evidence.of(MpiioStats)
        assert numbers(found) == CONTROL
        assert (found.complete, found.trusted) == (True, True)
        assert codes(evidence) == problems

    def test_nuls_are_counted(self) -> None:
        evidence = hostile("03_nul_bytes.txt")
        assert isinstance(evidence, Evidence)
        assert "file has 4,099 NUL bytes, likely truncated by a node crash" in message(evidence, "damaged")

    def test_interleaved(self) -> None:
        evidence = hostile("01_interleaved_two_blocks.txt")
        assert isinstance(evidence, Evidence)
        assert [(b.trusted, b.total_bytes) for b in evidence.of(MpiioStats)] == [(False, None)] * 2
        assert message(evidence, "interleaved").startswith("2 interleaved blocks at lines 1-38: cannot be separated")

    def test_torn(self) -> None:
        evidence = hostile("02_torn_lines.txt")
        assert isinstance(evidence, Evidence)
        assert [b.complete for b in evidence.of(MpiioStats)] == [False, True]

    def test_interleaved_with_labels(self) -> None:
        evidence = hostile("21_srun_label_interleaved.txt")
        assert isinstance(evidence, Evidence)
        assert [numbers(b) for b in evidence.of(MpiioStats)] == [CONTROL, CONTROL]

    def test_cut(self) -> None:
        evidence = hostile("11_unterminated.txt")
        assert isinstance(evidence, Evidence)
        (found,) = evidence.of(MpiioStats)
        assert (found.complete, found.total_bytes, found.gap_count, evidence.status) == (
            False,
            6442450968,
            None,
            "partial",
        )

    @pytest.mark.parametrize(
        ("name", "absent", "problems"),
        [
            (
                "13_overflow.txt",
                ["independent accesses", "total bytes for accesses"],
                [("out-of-range", 3), ("out-of-range", 12)],
            ),
            (
                "14_negative.txt",
                ["independent accesses", "total bytes for accesses"],
                [("out-of-range", 3), ("out-of-range", 12)],
            ),
            (
                "15_nan.txt",
                ["system accesses", "ave system access size", "ave access gap size"],
                [("not-a-number", 9), ("not-a-number", 13), ("not-a-number", 17)],
            ),
            ("16_na.txt", ["ave system access size", "ave access gap size"], []),
            (
                "18_locale.txt",
                ["total bytes for accesses", "ave system access size"],
                [("unrecognised-number", 12), ("unrecognised-number", 13)],
            ),
        ],
    )
    def test_numbers_that_cannot_be_used(self, name: str, absent: list[str], problems: list[tuple[str, int]]) -> None:
        evidence = hostile(name)
        assert isinstance(evidence, Evidence)
        (found,) = evidence.of(MpiioStats)
        assert [label for label, number in numbers(found).items() if number is None] == absent
        assert [loss(p) for p in evidence.problems] == problems

    def test_floats(self) -> None:
        evidence = hostile("17_float.txt")
        assert isinstance(evidence, Evidence)
        (found,) = evidence.of(MpiioStats)
        assert (found.system_accesses, found.average_system_access_bytes) == (6145, 1048000)
        assert codes(evidence) == ["note", "note"]

    @pytest.mark.parametrize(
        ("name", "files", "count"), [("24_same_file_many.txt", 1, 500), ("25_many_files.txt", 20_000, 20_000)]
    )
    def test_many(self, name: str, files: int, count: int) -> None:
        evidence = hostile(name)
        assert isinstance(evidence, Evidence)
        found = evidence.of(MpiioStats)
        assert (len(found), len({b.file for b in found}), found[-1].occurrence) == (count, files, count // files)

    def test_100_mb(self) -> None:
        evidence = hostile("26_100MB_3blocks.txt")
        assert isinstance(evidence, Evidence)
        assert len(evidence.parts) == 3

    def test_names_stay_as_they_are(self) -> None:
        evidence = hostile("28_xss_name.txt")
        assert isinstance(evidence, Evidence)
        assert [b.file for b in evidence.of(MpiioStats)] == [
            "<img src=x onerror=alert(1)>",
            '"><script>alert(2)</script>',
        ]
        evidence = hostile("29_formula_name.txt")
        assert isinstance(evidence, Evidence)
        assert [b.file for b in evidence.of(MpiioStats)] == ["=cmd|' /C calc'!A0", "@SUM(1)", "-1+2"]

    def test_a_name_with_a_line_end(self) -> None:
        evidence = hostile("30_name_with_bar.txt")
        assert isinstance(evidence, Evidence)
        assert not any(b.trusted for b in evidence.of(MpiioStats))

    @pytest.mark.parametrize(
        ("name", "code", "words"),
        [
            ("10_gz_bomb.txt.gz", "too-large", "inflates past"),
            ("27_one_huge_line.txt", "unrecognised", "longer than 64 KiB"),
            ("31_empty.txt", "empty", "the file is empty"),
            ("32_no_block.txt", "unrecognised", "nothing that is read here"),
            ("34_elf.txt", "unrecognised", "ELF"),
        ],
    )
    def test_what_holds_nothing_of_ours(self, name: str, code: str, words: str) -> None:
        refused = hostile(name)
        assert isinstance(refused, Failure)
        assert refused.code == code
        assert words in refused.message

    def test_a_darshan_log_under_another_name(self) -> None:
        evidence = hostile("33_darshan_as_txt.txt")
        assert isinstance(evidence, Evidence)
        assert evidence.reader == "darshan_log"

    def test_hints_alone(self) -> None:
        assert "statistics were not switched on" in str(hostile("35_hints_only.txt"))

    def test_zeros_and_an_unknown_field(self) -> None:
        evidence = hostile("36_zero_ops.txt")
        assert isinstance(evidence, Evidence)
        (found,) = evidence.of(MpiioStats)
        assert (found.system_accesses, found.average_system_access_bytes, evidence.problems) == (0, None, ())
        evidence = hostile("37_v2_unknown_field.txt")
        assert isinstance(evidence, Evidence)
        (found,) = evidence.of(MpiioStats)
        assert numbers(found) == CONTROL | {"quantum stripes": 12}
        assert codes(evidence) == ["unknown-field"]


@pytest.mark.skipif(PUBLIC is None, reason="no extra corpora")
class TestPublicSamples:
    """The numbers in the files, as a person reads them there."""

    @pytest.mark.parametrize("name", ["02-stats1-timers1-write-sisu-xc40.txt", "04-html-escaped-stats-timers-sisu.txt"])
    def test_write_of_2017(self, name: str) -> None:
        assert PUBLIC is not None
        (found,) = blocks((PUBLIC / name).read_bytes())
        assert (found.direction, found.file) == ("write", "large-cube-SPIN_DENSITY-1_0.cube")
        assert (found.complete, found.trusted) == (True, True)
        assert (found.independent_accesses, found.collective_accesses, found.independent_accessors) == (106, 192, 1)
        assert (found.aggregators, found.stripe_count, found.stripe_size_bytes) == (1, 1, 1048576)
        assert (found.system_accesses, found.stripe_sized_accesses) == (4286, None)
        assert found.aggregators_active is not None
        assert (found.aggregators_active.one, found.aggregators_active.degenerate) == (192, True)
        assert (found.total_bytes, found.average_system_access_bytes) == (4382277718, 1022463)
        assert (found.rmw_count, found.rmw_bytes, found.gap_count, found.average_gap_bytes) == (0, 0, 0, None)

    @pytest.mark.parametrize(
        ("name", "first"),
        [
            ("05-stats1-read-pfl-polaris-cray-mpich-8.1.25.txt", 4),
            ("06-full-job-stderr-nekrs-polaris-8.1.25.txt", 1231),
        ],
    )
    def test_read_of_8_1_25(self, name: str, first: int) -> None:
        assert PUBLIC is not None
        evidence = read((PUBLIC / name).read_bytes())
        (found,) = evidence.of(MpiioStats)
        assert (found.lines.first, found.lines.last) == (first, first + 18)
        assert (found.direction, found.file, found.ranks_in_communicator) == ("read", "base.fld", 4)
        assert (found.collective_accesses, found.system_accesses, found.stripe_sized_accesses) == (4, 481, 473)
        assert (found.total_bytes, found.average_system_access_bytes) == (500983744, 1041546)
        assert len(found.pfl) == 2

    def test_nothing_else_there_looks_like_a_block(self) -> None:
        assert PUBLIC is not None
        with_blocks = set()
        for path in PUBLIC.glob("*.txt"):
            answer = detect.read(io.BytesIO(path.read_bytes()))
            if isinstance(answer, Evidence) and answer.of(MpiioStats):
                with_blocks.add(path.name[:2])
        assert with_blocks == {"02", "04", "05", "06"}
