"""What holds for hints, settings, warnings and placement together: the public samples, noise, chunks, damage."""

from __future__ import annotations

import io
from dataclasses import fields
from pathlib import Path

import pytest
from budget import dice, examples, tries
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_stream import OddStream
from stats_text import REPOSITORY, extra, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    DvsStripeWarning,
    Evidence,
    Failure,
    InternalError,
    IoError,
    MpichAbort,
    MpichEnvironment,
    MpiioHints,
)
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers import mpich_aggregator_placement, mpich_environment, mpich_hints, mpich_warnings
from iotriage_parsers.text.scan import scan

READERS = [
    mpich_aggregator_placement.reader,
    mpich_environment.reader,
    mpich_hints.reader,
    mpich_warnings.reader,
]
KINDS = (MpiioHints, MpichEnvironment, DvsStripeWarning, IoError, InternalError, MpichAbort, AggregatorPlacement)
SAMPLE_TEXTS = sorted(
    path for reader in READERS for path in (REPOSITORY / "sample-logs" / reader.id).glob("*/*") if path.suffix == ".txt"
)
PUBLIC = extra("samples", "mpiio")


def own_kinds(evidence: Evidence) -> list[str]:
    return [part.kind for part in evidence.parts if isinstance(part, KINDS)]


def said(answer: Evidence | Failure) -> list[str]:
    """Every part without its line numbers, as text."""
    if isinstance(answer, Failure):
        return []
    return [_without_lines(part) for part in answer.parts if isinstance(part, KINDS)]


def _without_lines(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_without_lines, value))})"
    if not hasattr(value, "__dataclass_fields__"):
        return repr(value)
    kept = (f.name for f in fields(value) if f.name not in ("line", "last_line", "lines", "processor_line"))
    return f"{type(value).__name__}({', '.join(f'{n}={_without_lines(getattr(value, n))}' for n in kept)})"


def test_there_is_a_sample_of_each_kind() -> None:
    found = {kind for path in SAMPLE_TEXTS for kind in own_kinds(read(path.read_bytes()))}
    assert found == {kind.__dataclass_fields__["kind"].default for kind in KINDS}


NOISE = st.lists(
    st.sampled_from(
        [
            "step 12  residual = 1.2e-5",
            "+-------------------------------+----------------------+",
            "|   |-> 2.86e+02 sec 91.2% 0.0% PHDF5::WriteOutputFileRealPrec [region]",
            "key = value",
            "settings",
            "PE 0: Hello world",
            "",
            "0: 0",
            "> quoted",
            "AGGTCA AGG  TTA",
            "\x1b[1mbold\x1b[0m",
            "10%\r20%\r30%",
            "é ü",
        ]
    ),
    max_size=40,
)


@pytest.mark.parametrize("path", [p for p in SAMPLE_TEXTS if "cut" not in str(p)], ids=lambda p: p.parent.name)
@given(before=NOISE, after=NOISE)
@settings(max_examples=examples(5))
def test_noise_around_a_text_changes_nothing_but_line_numbers(path: Path, before: list[str], after: list[str]) -> None:
    text = path.read_text(encoding="utf-8")
    noisy = read("".join(f"{n}\n" for n in before) + text + "".join(f"{n}\n" for n in after))
    assert said(noisy) == said(read(text))


@given(st.lists(st.integers(1, 400), min_size=1, max_size=5).map(tuple), st.integers(1, 3000))
@settings(max_examples=examples(10), deadline=None)
def test_how_the_bytes_arrive_changes_nothing(sizes: tuple[int, ...], chunk_bytes: int) -> None:
    data = b"".join(path.read_bytes() + b"\nnoise\n" * 30 for path in SAMPLE_TEXTS)
    whole = scan(io.BytesIO(data), READERS, Limits())
    assert scan(OddStream(data, sizes), READERS, Limits(), chunk_bytes) == whole


@pytest.mark.parametrize("path", SAMPLE_TEXTS, ids=lambda p: p.parent.name)
def test_clothes(path: Path) -> None:
    """Line ends, quoting and encodings change nothing."""
    text = path.read_text(encoding="utf-8")
    plain = said(read(text))
    assert said(read(text.replace("\n", "\r\n"))) == plain
    assert said(read(b"\xef\xbb\xbf" + text.encode())) == plain
    assert said(read(text.encode("utf-16"))) == plain


@pytest.mark.parametrize("path", SAMPLE_TEXTS, ids=lambda p: p.parent.name)
def test_a_ticket_quotes_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if "labelled" in str(path):
        pytest.skip("a label behind a quotation is the quotation's own sample")
    quoted = read("".join(f"> {line}\n" for line in text.splitlines()))
    kinds = own_kinds(read(text))
    assert [k for k in own_kinds(quoted) if k != "mpich_environment"] == [k for k in kinds if k != "mpich_environment"]


@pytest.mark.fuzz
@pytest.mark.parametrize("path", SAMPLE_TEXTS, ids=lambda p: p.parent.name)
def test_damage_is_survived(path: Path) -> None:
    data = path.read_bytes()
    chance = dice(path.name)
    for _ in range(20):
        assert isinstance(detect.read(io.BytesIO(data[: chance.randrange(len(data))])), Evidence | Failure)
    for _ in range(tries(8, 200)):
        flipped = bytearray(data)
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        assert isinstance(detect.read(io.BytesIO(bytes(flipped))), Evidence | Failure)


@pytest.mark.fuzz
@pytest.mark.parametrize("path", SAMPLE_TEXTS, ids=lambda p: p.parent.name)
def test_a_cut_never_makes_up_a_hint_a_setting_or_a_call(path: Path) -> None:
    data = path.read_bytes()
    known = _facts(read(data))
    for end in range(len(data) // 50, len(data), max(len(data) // tries(20, 500), 1)):
        cut = detect.read(io.BytesIO(data[:end]))
        assert isinstance(cut, Failure) or _facts(cut) <= known


def _facts(evidence: Evidence) -> set[tuple[object, ...]]:
    hints = {(h.key, h.value, h.line) for p in evidence.of(MpiioHints) for h in p.hints}
    shown = {(s.name, s.value, s.line) for p in evidence.of(MpichEnvironment) for s in p.settings}
    calls = {(c.rank, c.offset_bytes, c.line) for p in evidence.of(IoError) for c in p.calls if c.complete}
    dvs = {(p.requested_width, p.set_width, p.line) for p in evidence.of(DvsStripeWarning)}
    placed = {(a.number, a.rank, a.node) for p in evidence.of(AggregatorPlacement) for a in p.aggregators}
    return {*hints, *shown, *calls, *dvs, *placed}


WORDS = st.sampled_from(
    [
        "PE 0: MPIIO hints for a:",
        "PE 0: MPICH environment settings ===",
        "          cb_nodes                 = 2",
        "          stri",
        "PE 0:   MPICH_MPIIO_STATS  = 2",
        "PE 1:   x",
        "key = cb_nodes  value = 3",
        "[ 0] key = cb_nodes, flag = 1, value = 3",
        "nkeys = 3",
        "hints passed to MPI_File_open() {",
        "\ta = b",
        "}",
        "MPIIO WARNING: DVS stripe width of 2 was requested but DVS set it to 1",
        "See MPICH_MPIIO_DVS_MAXNODES",
        "ADIOI_CRAY_WRITECONTIG(2): filename='a'  error='b",
        "'  errno=5  PE=1  W_rec=0  off=1  len=1  See MPICH_MPIIO_ABORT_ON_RW_ERROR.",
        "  0 ADIOI_CRAY_Calc_aggregator_pfl() a.c +7 x",
        "Aggregator Placement for a",
        " AGG  Rank  nid",
        "   0   0  n1",
        "CRAY MPICH version 8.1",
        "cray-mpich/8.1",
        "0001: ",
        "> ",
        "",
    ]
)


@given(st.lists(st.tuples(WORDS, st.sampled_from(["\n", "", " "])), max_size=60))
@settings(max_examples=examples(10), deadline=None)
def test_any_mixture_of_our_lines_is_survived(words: list[tuple[str, str]]) -> None:
    data = "".join(word + end for word, end in words).encode()
    answer = detect.read(io.BytesIO(data))
    assert isinstance(answer, Evidence | Failure)
    if isinstance(answer, Evidence):
        last = data.count(b"\n") + 1
        for part in answer.of(MpiioHints):
            assert 1 <= part.lines.first <= part.lines.last <= last
            assert all(part.lines.first <= h.line <= part.lines.last for h in part.hints)


@given(st.binary(max_size=400))
def test_random_bytes_after_a_title_are_survived(rest: bytes) -> None:
    for begin in (b"PE 0: MPIIO hints for a:\n", b"ADIOI_CRAY_READCONTIG(", b"PE 0: MPICH processor detected:\n"):
        assert isinstance(detect.read(io.BytesIO(begin + rest)), Evidence | Failure)


if PUBLIC is not None:
    PUBLIC_KINDS = [
        ("01-hints-sisu-xc40-lustre.txt", ["mpiio_hints"]),
        ("02-stats1-timers1-write-sisu-xc40.txt", []),
        ("03-html-escaped-hints-sisu.txt", ["mpiio_hints"]),
        ("04-html-escaped-stats-timers-sisu.txt", []),
        ("05-stats1-read-pfl-polaris-cray-mpich-8.1.25.txt", []),
        ("06-full-job-stderr-nekrs-polaris-8.1.25.txt", ["mpich_environment"]),
        ("07-ior-cori-dvs-warning-interleaved.txt", ["dvs_stripe_warning"]),
        ("08-env-display-crusher-cray-mpich-8.1.17.txt", ["mpich_environment"]),
        ("09-mpi-info-dump-cray-adio.txt", ["mpiio_hints"]),
        ("14-srun-label-dvs-warning-e3sm-perlmutter.txt", ["dvs_stripe_warning"]),
        ("15-srun-label-readcontig-error-e3sm-edison.txt", ["mpiio_io_error"]),
        ("16-writecontig-error-ucvmc-titan.txt", ["mpiio_io_error"]),
        ("17-writecontig-quota-errors-interleaved-polaris.txt", ["mpiio_io_error"]),
        ("18-hints-frontier-interleaved-truncated.txt", ["mpiio_hints"]),
        ("19-dvs-warning-first-line-of-log-pastis.txt", ["dvs_stripe_warning"]),
        ("20-calc-aggregator-pfl-internal-error.txt", ["mpiio_internal_error", "mpich_abort"]),
        ("21-romio-print-hints-lustre-mpich-not-cray.txt", ["mpiio_hints"]),
        ("22-mpich-version-banners.txt", ["mpich_environment"] * 5),
        ("90-romio-print-hints.txt", ["mpiio_hints"] * 5),
    ]

    def public(name: str) -> Evidence:
        return read(next(PUBLIC.glob(f"{name.removesuffix('.txt')}*.txt")).read_bytes())

    def hints(name: str) -> tuple[MpiioHints, ...]:
        return public(name).of(MpiioHints)

    def value(found: MpiioHints | MpichEnvironment, name: str) -> str | None:
        fact = found.hint(name) if isinstance(found, MpiioHints) else found.setting(name)
        return None if fact is None else fact.value

    class TestPublicSamples:
        def test_all_of_them_are_judged_here(self) -> None:
            assert {path.name for path in PUBLIC.glob("*.txt")} == {name for name, _ in PUBLIC_KINDS}

        @pytest.mark.parametrize(("name", "kinds"), PUBLIC_KINDS)
        def test_kinds(self, name: str, kinds: list[str]) -> None:
            assert own_kinds(public(name)) == kinds

        @pytest.mark.parametrize(("name", "first"), [("01", 1), ("03", 1)])
        def test_hints_of_an_xc40(self, name: str, first: int) -> None:
            (found,) = hints(name)
            assert (found.file, found.rank, found.complete) == ("large-cube-SPIN_DENSITY-1_0.cube", 0, True)
            assert (len(found.hints), found.lines.first, found.lines.last) == (23, first, first + 23)
            wanted = {
                "cb_buffer_size": "16777216",
                "romio_cb_write": "automatic",
                "cb_nodes": "1",
                "romio_lustre_start_iodevice": "0",
                "aggregator_placement_stride": "-1",
                "cb_config_list": "*:*",
                "romio_filesystem_type": "CRAY ADIO:",
                "striping_unit": "1048576",
            }
            assert {key: value(found, key) for key in wanted} == wanted

        def test_hints_cut_within_a_key(self) -> None:
            (found,) = hints("18")
            assert (found.file, len(found.hints), found.complete) == ("parthenon.restart.final.rhdf", 15, False)
            assert (found.hints[0].key, found.hints[-1].key) == ("romio_cb_pfr", "direct_io")
            assert (value(found, "romio_cb_write"), value(found, "striping_factor")) == ("disable", None)
            assert public("18").status == "partial"

        def test_hints_of_others(self) -> None:
            (program,) = hints("09")
            assert (program.printed_by, program.file, len(program.hints), program.complete) == (
                "application",
                None,
                23,
                True,
            )
            assert (value(program, "cb_nodes"), value(program, "romio_filesystem_type")) == ("2", "CRAY ADIO:")
            (romio,) = hints("21")
            assert (romio.printed_by, romio.file, len(romio.hints), romio.complete) == ("romio", None, 25, True)
            assert value(romio, "romio_aggregator_list") == "0 1 2 3 4 5 6 7"
            assert (value(romio, "cb_nodes"), value(romio, "romio_filesystem_type")) == ("8", "LUSTRE:")

        def test_romio_lists_whole_and_mixed(self) -> None:
            found = hints("90")
            assert [f.printed_by for f in found] == ["romio"] * 5
            assert [(len(f.hints), f.trusted) for f in found] == [
                (18, True),
                (18, True),
                (19, True),
                (72, False),
                (18, True),
            ]
            assert [value(f, "romio_cb_write") for f in found] == ["automatic", "enable", "disable", None, "automatic"]
            assert [value(f, "cb_nodes") for f in found] == ["2", "2", "2", None, "4"]
            assert value(found[2], "striping_unit") == "1048576"
            assert value(found[4], "romio_aggregator_list") == "0 1 4 5"

        def test_an_environment_display(self) -> None:
            (found,) = public("08").of(MpichEnvironment)
            assert (len(found.settings), len(found.sections)) == (107, 10)
            assert (found.lines.first, found.lines.last) == (19, 138)
            assert found.processor == "AMD Milan (25:48:1) (family:model:stepping)"
            assert found.notes == ("rank 0 required = single, was provided = single",)
            wanted = {
                "MPICH_MPIIO_STATS": "0",
                "MPICH_MEM_DEBUG_FNAME": "",
                "MPICH_MPIIO_HINTS": "NULL",
                "MPICH_SINGLE_HOST_ENABLED": "1",
                "MPICH_MPIIO_OFI_STARTUP_NODES_AGGREGATOR": "2",
                "MPICH_ALLTOALL_SHORT_MSG": "64-512",
                "MPICH_MPIIO_ABORT_ON_RW_ERROR": "disable",
                "FI_CXI_OFLOW_BUF_SIZE": "12582912",
            }
            assert {name: value(found, name) for name in wanted} == wanted
            assert [(v.version, v.source, v.line) for v in found.versions] == [("8.1.17", "module", 12)]

        def test_versions(self) -> None:
            found = public("22").of(MpichEnvironment)
            versions = [run.version for run in found]
            assert [(v.version, v.base, v.line) for v in versions if v] == [
                ("7.5.0", "ANL base 3.2rc1", 1),
                ("7.6.0", "ANL base 3.2", 2),
                ("7.7.14", "ANL base 3.2", 3),
                ("8.1.20.8", "ANL base 3.4a2", 5),
                ("8.1.25.17", "ANL base 3.4a2", 7),
            ]
            assert [v.build for v in versions if v][2:] == [
                "Built Tue May 19 13:54:36 2020 (git hash e25eab9) MT-G",
                "Mon Sep 19 11:26 2022 (git hash 10c7776)",
                "Sun Feb 26 16:42 2023 (git hash aecd99f)",
            ]

        def test_a_noisy_log_holds_a_version_and_no_more(self) -> None:
            (found,) = public("06").of(MpichEnvironment)
            assert [(v.version, v.source, v.line) for v in found.versions] == [("8.1.25", "module", 11)]
            assert (found.settings, found.sections) == ((), ())

        @pytest.mark.parametrize(
            ("name", "wanted"), [("07", (32, 28, 1, 59)), ("14", (2, 1, 1, 1)), ("19", (32, 28, 1, 1))]
        )
        def test_dvs_warnings(self, name: str, wanted: tuple[int, int, int, int]) -> None:
            (found,) = public(name).of(DvsStripeWarning)
            assert (found.requested_width, found.set_width, found.count, found.line) == wanted

        def test_a_failed_read_whose_line_was_wrapped(self) -> None:
            (found,) = public("15").of(IoError)
            assert (found.operation, found.name, found.message, found.count) == ("read", "EIO", "Input/output error", 1)
            (call,) = found.calls
            assert (call.rank, call.record, call.offset_bytes, call.length_bytes) == (13, 7, 7_235_174_400, 4_194_304)
            assert (call.source_line, call.line, call.last_line) == (288, 1, 2)
            assert found.files[0].endswith("/homme/cami_mam3_Linoz_0000-01-ne120np4_L72_c160318.nc")
            assert public("15").status == "complete"

        def test_a_failed_write(self) -> None:
            (found,) = public("16").of(IoError)
            (call,) = found.calls
            assert (found.operation, found.name, call.rank, call.record) == ("write", "EIO", 3_599, 16_784)
            assert (call.offset_bytes, call.length_bytes, call.file) == (
                474_083_277_000,
                3_000,
                "la_habra_large_cvmsi_20m.media",
            )

        def test_writes_over_quota(self) -> None:
            (found,) = public("17").of(IoError)
            assert (found.operation, found.errno, found.name) == ("write", 122, "EDQUOT")
            assert (found.count, found.ranks) == (9, (0, 1, 4, 6, 11, 13, 15, 27, 29))
            assert [c.offset_bytes for c in found.calls] == [
                1_096_349_680,
                741_458_584,
                1_980_918_168,
                962_901_840,
                608_347_736,
                825_469_536,
                0,
                1_627_096_808,
                692_245_704,
            ]
            assert found.length_bytes == 3_246_175_688
            assert (found.line, found.last_line, found.file_count) == (3, 17, 1)

        def test_an_internal_error(self) -> None:
            evidence = public("20")
            (internal,) = evidence.of(InternalError)
            assert (internal.function, internal.source_line, internal.count) == (
                "ADIOI_CRAY_Calc_aggregator_pfl",
                77,
                1,
            )
            assert (internal.ranks, internal.line, internal.last_line) == ((0,), 1, 2)
            (abort,) = evidence.of(MpichAbort)
            assert (abort.code, abort.ranks, abort.nodes, abort.job) == (86, (0,), ("nid001001",), "25331.10")
