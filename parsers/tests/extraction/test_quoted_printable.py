"""Texts as a mail has them on its way: their lines go on after "=", and "=3D" is an equals sign."""

from __future__ import annotations

import io
import quopri
import re

import pytest
from stats_text import REPOSITORY, block, codes, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import BenchmarkRates, Failure, JobContext, MpiioStats
from iotriage_parsers.extraction.quoted_printable import decoded, is_quoted_printable
from iotriage_parsers.reader import Limits

MDTEST = (REPOSITORY / "sample-logs" / "mdtest" / "shared-directory" / "mdtest-fjord.txt").read_text(encoding="utf-8")
HEAD = "From: auser@site\nContent-Transfer-Encoding: quoted-printable\nX-Spam: score=0.1\n\n"


@pytest.mark.parametrize("quote", ["", "> "])
@pytest.mark.parametrize("head", ["", HEAD])
def test_what_a_mail_encoded_has_the_same_figures(quote: str, head: str) -> None:
    text = "".join(f"{quote}{line}\n" for line in f"srun --ntasks=256 {'x=1 ' * 30}\n{MDTEST}".splitlines())
    evidence = read(head.encode() + quopri.encodestring(text.encode()))
    (run,), (whole,) = evidence.of(BenchmarkRates), read(MDTEST).of(BenchmarkRates)
    assert [(r.phase, r.mean, r.seconds) for r in run.rates] == [(r.phase, r.mean, r.seconds) for r in whole.rates]
    assert run.command_line == whole.command_line
    assert evidence.problems[0].message.startswith("a mail's encoding (quoted-printable) was taken off")
    assert not any(p.loses_data for p in evidence.problems)


def test_a_box_of_statistics_that_a_mail_encoded() -> None:
    text = f"srun --ntasks=256 {'--option=1 ' * 12}\n{block('a=b.dat')}"
    (found,) = read(quopri.encodestring(text.encode())).of(MpiioStats)
    (whole,) = read(text).of(MpiioStats)
    assert (found.file, found.total_bytes, found.lines) == (whole.file, whole.total_bytes, whole.lines)


def test_what_a_mail_says_to_be_encoded_may_have_no_equals_sign() -> None:
    text = "".join(f"line {n} {'of words ' * 9} of a text\n" for n in range(4))
    for body in (text, text + "a=b\n"):
        assert is_quoted_printable(HEAD.encode() + quopri.encodestring(body.encode()))
    assert not is_quoted_printable(HEAD.encode() + b"nothing to encode\n")


SCRIPT = "#!/bin/bash\nexport MPICH_MPIIO_STATS=1\nexport MPICH_MPIIO_STATS_FILE=stats/sea\nsrun -n 8 ./sea\n"
DF = "".join(
    f"lustrefs-OST{n:04x}_UUID      133370760449216  98765432109876 33333333333333  75% /scratch/fs[OST:{n}]\n"
    for n in range(4)
)


@pytest.mark.parametrize("text", [SCRIPT, DF, block("a.dat")])
@pytest.mark.parametrize("quote", ["", "> "])
def test_the_body_of_a_mail_alone_has_the_same_values(text: str, quote: str) -> None:
    encoded = quopri.encodestring("".join(f"{quote}{line}\n" for line in text.splitlines()).encode())
    assert encoded.decode() != text
    places = re.compile(r"\b(?:first|last|line|last_line)=\d+")
    found, whole = (sorted(places.sub("", repr(part)) for part in read(one).parts) for one in (encoded, text))
    assert found == whole


@pytest.mark.parametrize(
    "text",
    [
        "mode=3D\n",
        "geometry=3Dmesh\n",
        "geometry=3Dmesh mode=3D dim=2\n",
        "srun -n 8 ./sea mode=3D a.nc\nsrun -n 8 ./sea mode=3D b.nc\n",
        "x" * 74 + "=\nand so on\n",
        block("a.dat") + "=" * 40 + "\n",
        "x=3D\n" + "=" * 70 + "\n",
        "".join(f"export NAME_{n}={n}\n" for n in range(50)) + "url=http://site/?a=3D&b=\n" + "a word and so on=\n",
    ],
)
def test_equals_signs_that_stand_for_themselves(text: str) -> None:
    assert not is_quoted_printable(text.encode())


FIGURES = "#!/bin/bash\n#SBATCH --nodes=16\n#SBATCH --ntasks=2048\n#SBATCH --time=20\nsrun ./a.out\n"


@pytest.mark.parametrize("sent", [True, False])
def test_figures_behind_an_equals_sign_are_not_decoded(sent: bool) -> None:
    """What a mail was decoded to, and one that was saved as it is shown, with its head."""
    body = quopri.encodestring(FIGURES.encode()) if sent else FIGURES.encode()
    (found,) = read(HEAD.encode() + body).of(JobContext)
    assert (found.nnodes, found.ntasks, found.time_limit_s) == (16, 2048, 1200.0)


def test_a_mail_of_rates_is_decoded_once() -> None:
    text = "Run status group 0 (all jobs):\n  READ: bw=60.8GiB/s (65.3GB/s), io=3651GiB (3920GB), run=60003-60003msec\n"
    (run,) = read(HEAD.encode() + quopri.encodestring(text.encode())).of(BenchmarkRates)
    assert [(r.mean, r.seconds) for r in run.rates] == [(60.8 * 2**30, 60.003)]


def test_damage_and_depth_are_no_error() -> None:
    twice = quopri.encodestring(quopri.encodestring(f"a=b {'c=d ' * 40}\n{MDTEST}".encode()))
    for data in (
        twice,
        twice[:-2],
        b"a" * 60 + b"=\n" + b"=3D=\n" * 9 + b"=3",
        b"a=3D" + b"b" * 60 + b"=\n" + b"=FF=FE" * 99,
    ):
        answer = detect.read(io.BytesIO(data))
        assert isinstance(answer, Failure) or codes(answer)


def test_a_replys_sign_before_encoded_lines_makes_them_longer() -> None:
    encoded = quopri.encodestring(f"{MDTEST}url=nfs://lab/x {'y' * 90}\n".encode())
    lines = encoded.splitlines()
    replied = b"".join(
        b">> " + line + b"\n" if not lines[n - 1].endswith(b"=") else line + b"\n" for n, line in enumerate(lines)
    )
    assert any(len(line) > 77 and line.endswith(b"=") for line in replied.splitlines())
    assert is_quoted_printable(replied)


@pytest.mark.parametrize("sign", [b"> ", b">> ", b"> > "])
def test_a_replys_sign_within_what_was_one_line_is_no_part_of_it(sign: bytes) -> None:
    line = f"Command line used: mdtest -d /scratch/{'y' * 90}/out -n 1000=\n"
    encoded = quopri.encodestring((MDTEST + line).encode())
    replied = b"".join(sign + one + b"\n" for one in encoded.splitlines())
    with decoded(io.BytesIO(replied), Limits()) as taken:
        text = taken.text.read()
    assert text == b"".join(sign + one + b"\n" for one in (MDTEST + line).encode().splitlines())
