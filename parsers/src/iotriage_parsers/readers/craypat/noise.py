"""Which files of an I/O table are none of the application's own files."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence.craypat import PatNoise

_NOISE: Final[tuple[tuple[PatNoise, re.Pattern[str]], ...]] = (
    ("kernel", re.compile(r"/(?:proc|sys)(?:/|$)")),
    ("device", re.compile(r"/dev(?:/|$)")),
    ("standard-stream", re.compile(r"(?:stdin|stdout|stderr)$")),
    ("unnamed", re.compile(r"_UnknownFile_$")),
    ("pipe", re.compile(r"_pipe_\w*_?$|pipe:\[")),
    ("instrumentation", re.compile(r".*(?:\+(?:pat|samp)\+[^/]*/|/(?:xf|ap2|rpt)-files/|\.(?:xf|ap2|apa)$)")),
    ("shared-library", re.compile(r".*\.so(?:\.\d+)*$")),
    ("system", re.compile(r"/(?:etc|usr|lib|lib64|bin|sbin|opt|run|var)/")),
)


def noise(name: str) -> PatNoise | None:
    """Why `name` (as CrayPAT prints it) is not to be judged as the application's file I/O, or None."""
    return next((kind for kind, pattern in _NOISE if pattern.match(name)), None)
