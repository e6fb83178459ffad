"""The second opinion of the page: made in a confined process, whatever the log does to pydarshan."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from budget import some

from iotriage.verification import second_opinions
from iotriage.verification.opinion import NoSecondOpinion, SecondOpinion
from iotriage.verification.second_opinions import SecondOpinions
from iotriage.verification.verify import verify

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "sample-logs" / "darshan_log"
CORPUS = Path(os.environ.get("IOTRIAGE_CORPUS", ROOT.parent / "shared"))
DIFFERS = SAMPLES / "47-darshan-main-apmpi" / "47-darshan-main-apmpi.darshan"
AGREES = SAMPLES / "01-serial-gather" / "01-serial-gather.darshan"
SAYS_ANOTHER = 'import sys; sys.stdout.write(\'{"kind": "compared"}\')'


@pytest.fixture(scope="module")
def opinions() -> SecondOpinions:
    return SecondOpinions(seconds=100, memory_bytes=2 << 30, file_bytes=256 << 20)


@pytest.mark.parametrize("log", [AGREES, DIFFERS], ids=["agrees", "differs"])
def test_it_is_what_verify_says(opinions: SecondOpinions, log: Path) -> None:
    said, there = opinions.of(log, None), verify(log).found
    assert isinstance(said, SecondOpinion)
    assert (said.pydarshan, said.agreed, said.differing) == (
        there.pydarshan,
        there.agreed,
        there.differing,
    )
    assert [(part.part, part.agreed, part.differing) for part in said.parts] == [
        (part.part, part.agreed, part.differing) for part in there.parts
    ]
    assert sum(one.values for one in said.differences) == said.differing
    assert said.unlisted == 0


def test_why_there_is_none_is_said(opinions: SecondOpinions, tmp_path: Path) -> None:
    bzip2 = opinions.of(SAMPLES / "49-bzip2-heat2d-tuned" / "49-bzip2-heat2d-tuned.darshan", None)
    assert isinstance(bzip2, NoSecondOpinion)
    assert bzip2.kind == "cannot-open"
    text = opinions.of(ROOT / "README.md", None)
    assert isinstance(text, NoSecondOpinion)
    assert text.kind == "no-log"


def test_without_the_extra_it_says_how_to_install_it(opinions: SecondOpinions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_opinions, "find_spec", lambda _: None)
    said = opinions.of(AGREES, None)
    assert isinstance(said, NoSecondOpinion)
    assert said.kind == "not-installed"
    assert "pip install 'iotriage[pydarshan]'" in said.reason


@pytest.mark.parametrize(
    ("program", "kind", "says"),
    [
        ("import os; os.abort()", "died", "SIGABRT"),
        ("import os; os._exit(128 + 11)", "died", "SIGSEGV"),
        ("import time; time.sleep(60)", "too-much", "stopped after 1 s"),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "too-much", "1 MiB"),
        (SAYS_ANOTHER, "died", "something else"),
    ],
)
def test_a_process_that_fails_costs_the_opinion_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, program: str, kind: str, says: str
) -> None:
    opinions = SecondOpinions(seconds=1, memory_bytes=2 << 30, file_bytes=256 << 20)
    monkeypatch.setattr(second_opinions, "_CHILD", (second_opinions.sys.executable, "-I", "-c", program))
    said = opinions.of(AGREES, None)
    assert isinstance(said, NoSecondOpinion)
    assert said.kind == kind
    assert says in said.reason


def test_one_is_made_at_a_time_and_kept(opinions: SecondOpinions, monkeypatch: pytest.MonkeyPatch) -> None:
    first = opinions.of(AGREES, None)
    monkeypatch.setattr(second_opinions, "answer_of", None)
    assert opinions.of(AGREES, None) is first


@pytest.mark.fuzz
@pytest.mark.parametrize(
    "name", some(["uaf_name_inflate_error", "abrt_rank_ge_nprocs", "heapovf_dxt_neg3", "leak_dxt_pos_neg"])
)
def test_a_log_that_breaks_the_library_breaks_nothing_else(opinions: SecondOpinions, name: str) -> None:
    found = sorted((CORPUS / "hostile" / "darshan").glob(f"{name}*"))
    if not found:
        pytest.skip("the corpus is not here")
    assert opinions.of(found[0], None).kind in {"compared", "no-log", "cannot-open", "died", "too-much"}
    assert isinstance(opinions.of(AGREES, None), SecondOpinion)
