"""Has a confined process make a second opinion on a stored source, and keeps the answer for whoever asks next."""

from __future__ import annotations

import sys
import threading
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from cachetools import LRUCache
from pydantic import ValidationError

from iotriage.confinement.scratch import ScratchFolder
from iotriage.verification.opinion import OPINION, NoSecondOpinion, Opinion
from iotriage.verification.second_reader import INSTALL, NoSecondOpinionError, TooMuchError, answer_of

ANSWER_BYTES = 1 << 20
_KEPT = 64
_CHILD = (sys.executable, "-I", "-B", "-m", "iotriage.verification.opinion_child")


class SecondOpinions:
    """One is made at a time: it costs as much as reading the log twice, and nothing waits for it but a panel.
    `seconds` bounds processor time and wall clock, `memory_bytes` address space, `file_bytes` what it unpacks."""

    def __init__(self, seconds: float, memory_bytes: int, file_bytes: int) -> None:
        self._seconds = seconds
        self._memory_bytes = memory_bytes
        self._file_bytes = file_bytes
        self._one = threading.Lock()
        self._kept: LRUCache[tuple[Path, int | None], Opinion] = LRUCache(_KEPT)

    def of(self, source: Path, member: int | None) -> Opinion:
        """What pydarshan and we say about the source, which is stored under its hash and never changes; of an archive
        of one of its files. OSError where the source cannot be opened."""
        if find_spec("darshan") is None:
            return NoSecondOpinion("not-installed", f"pydarshan is not installed on this server: {INSTALL}")
        with self._one:
            cached = self._kept.get((source, member))
            if cached is None:
                cached = self._kept[source, member] = self._made(source, member)
            return cached

    def _made(self, source: Path, member: int | None) -> Opinion:
        limits = (str(self._memory_bytes), str(self._seconds), str(self._file_bytes))
        command = [*_CHILD, *limits, *([] if member is None else [str(member)])]
        with source.open("rb") as stream, ExitStack() as stack:
            scratch = ScratchFolder()
            stack.callback(scratch.remove)
            environment = {"TMPDIR": str(scratch.path), "MPLCONFIGDIR": str(scratch.path)}
            try:
                answer, _ = answer_of(command, self._seconds, ANSWER_BYTES, stream.fileno(), environment)
                return OPINION.validate_json(answer, strict=True)
            except TooMuchError as problem:
                return NoSecondOpinion("too-much", f"{problem}.")
            except NoSecondOpinionError as problem:
                return NoSecondOpinion("died", f"{problem}.")
            except ValidationError:
                return NoSecondOpinion("died", "pydarshan's process answered something else than it should.")
