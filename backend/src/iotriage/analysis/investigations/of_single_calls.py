"""What tells most of the time in calls, where one call has it, or one read of each file."""

from __future__ import annotations

from dataclasses import replace

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.investigations.question import Question
from iotriage.analysis.rates import known_number, known_word
from iotriage.rules.advice.placement import what_stood_still
from iotriage.rules.core.action import FillIn, Named, RunCommand
from iotriage.rules.core.words import plural, printable, seconds, share
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
ONE_OF_THESE = FillIn("FILE", "one of these files")


def read_once_question(metrics: Metrics) -> Question | None:
    part, files, took = (known_number(metrics, f"posix.stood_still_{name}") for name in ("fraction", "files", "time"))
    if part is None or files is None or took is None or part < MOSTLY or files < SEVERAL:
        return None
    words = ONCE_EACH.words.format(share(part), plural(int(files), "file"), seconds(took))
    mount = known_word(metrics, "file.time_mount_type") or known_word(metrics, "file.mount_type")
    if kind_of(mount or "") != "lustre":
        return replace(ONCE_EACH, words=words)
    file = known_word(metrics, "posix.stood_still_file")
    named = ONE_OF_THESE if file is None or not file.startswith("/") else Named(file)
    return replace(ONCE_EACH, words=words, actions=(RunCommand(("lfs", "hsm_state", named)),))


IN_ONE_CALL = Question(
    words=(
        "one {} of {} took {} of the {} of all I/O, and the many others of its size next to none. So it is where {} "
        "stood still, where another rank held the lock for so long, or where the others only went to memory: run it "
        "again. If it is quick then, nothing is wrong with the program"
    ),
    for_support="; tell {} when that was.",
)


def one_call_question(metrics: Metrics) -> Question | None:
    """Where one call took most of the I/O time, though a rank makes many that are as large."""
    took, io_s = known_number(metrics, "posix.single_call_time"), known_number(metrics, "job.io_time")
    way, file = known_word(metrics, "posix.single_call_way"), known_word(metrics, "posix.single_call_file")
    if took is None or io_s is None or way is None or took < MOSTLY * io_s:
        return None
    still = what_stood_still(known_word(metrics, "file.lies_on"))
    words = IN_ONE_CALL.words.format(way, printable(file) or "a file", seconds(took), seconds(io_s), still)
    return replace(IN_ONE_CALL, words=words)
