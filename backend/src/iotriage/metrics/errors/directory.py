"""Where the files lie whose reads or writes failed."""

from __future__ import annotations

import re
from itertools import chain
from posixpath import dirname
from typing import Final

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.texts.complaints import most_frequent
from iotriage_parsers.evidence import IoError, Lines, SystemErrors
from iotriage_parsers.text.strerror import WORDS

_PATH: Final = (
    r"['\"`‘“«]\s?(/[^'\"`’”»\n]{1,1000}?)\s?['\"`’”»]"
    r"|\b(?:[Ff]ile|[Pp]ath|[Dd]irectory)(?:name)?(?: to| on)?[ :=]{1,3}(/[^\s,;:'\"]{1,1000})(?!,? line\b)"
    rf"|:\s(/[^\s,:'\"]{{1,1000}}):\s(?:Cannot \w{{1,20}}: )?"
    rf"(?:{'|'.join(re.escape(words) for words in WORDS)})"
)
"""In quotes, after the word for it, or between a command and the reason, also where tar says before it what it cannot.
What else stands before a reason may be the script that was running, as of a shell. Compiled where there is such a line:
that takes 2 ms."""


@metric(
    "errors.directory",
    "Directory of a file whose reads or writes failed",
    "word",
    formula="of the error lines that errors.cause is from, the directory of the first file with its whole path; in "
    "words of a program, where quotes are around it, it is called a file, or it stands just before the reason",
    needs="the job's output",
    scopes=["job"],
)
def directory(s: Selection) -> Outcome:
    errors, said = s.of(IoError), s.of(SystemErrors)
    if not errors and not said:
        return Absent("no failed read or write was reported")
    if errors:
        source, worst = most_frequent(errors)
        files, line = worst.files, worst.line
    else:
        source, most = most_frequent(said)
        files, line = tuple(filter(None, chain(*re.findall(_PATH, most.message)))), most.line
    found = next((dirname(file) for file in files if file.startswith("/") and dirname(file) != "/"), None)
    if found is None:
        return Absent("the lines of the errors name no file with its whole path")
    return Value(found, "inferred", (Where(source, Lines(line, line)),))
