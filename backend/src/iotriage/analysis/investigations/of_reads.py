"""What tells most of the time in reads, where one read of each file has it."""

from __future__ import annotations

from dataclasses import replace

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.investigations.question import Question
from iotriage.analysis.rates import known_number, known_word
from iotriage.rules.core.words import plural, seconds, share
from iotriage.sites.mounts import kind_of

MOSTLY, SEVERAL = 0.5, 2.0
"""Of the read time, from which it is these reads that take it; and files, from which it is no chance: both are ours."""
ONCE_EACH = Question(
    words=(
        "{} of the time in reads is one read of each of {}, which took {} on average, and the others none of that. So "
        "it is where a file was moved to tape, and is fetched back at its first read: ask whether these are, and have "
        "them fetched before the job begins."
    ),
    kind="look",
)
SEE_STATE = "lfs hsm_state FILE"


def once_each(metrics: Metrics) -> Question | None:
    part, files, took = (known_number(metrics, f"posix.stood_still_{name}") for name in ("fraction", "files", "time"))
    if part is None or files is None or took is None or part < MOSTLY or files < SEVERAL:
        return None
    words = ONCE_EACH.words.format(share(part), plural(int(files), "file"), seconds(took))
    on_lustre = kind_of(known_word(metrics, "file.mount_type") or "") == "lustre"
    return replace(ONCE_EACH, words=words, command=SEE_STATE if on_lustre else None)
