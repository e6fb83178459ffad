"""The most telling question for the kind of file system that the files are on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from posixpath import basename

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.investigations.question import THE_FILE, Actions, Question
from iotriage.analysis.investigations.questions import WRITE_IT
from iotriage.analysis.rates import known_number, known_word
from iotriage.metrics.file.slow_mount import MOSTLY
from iotriage.metrics.tables.account.cells import Cell
from iotriage.metrics.tables.mounts import IN_MEMORY, NFS, ON_DISKS
from iotriage.metrics.tables.system_programs import COPIES, PACKS
from iotriage.rules.access.fast_rates import FAST_TOGETHER
from iotriage.rules.advice.system_programs import COPIED, MOVERS_OF_FILES
from iotriage.rules.core.action import FillIn, Operand, RunCommand
from iotriage.rules.core.condition import SHARED_FILES
from iotriage.rules.core.words import number, printable, share, size
from iotriage.rules.evidence.measured_again import NEW_FILE
from iotriage.sites.mounts import kind_of

PLAIN_PATH = re.compile(r"/[A-Za-z0-9_./+-]{1,200}")
"""A mount point that can be named in a sentence without quoting."""
LARGEST, SLOWEST = "the largest file lies", "the files that take most of that time lie"


SLOW_FILE = FillIn("SLOW_FILE", "one of the files that take the time")
LARGE_ENOUGH = 2.0**30
"""Bytes from which reading a file shows what a disk or a server can give: ours."""

_ONE_SERVER = Question(
    words=(
        "{} on {}, where often one server has all nodes to serve. Move a few GiB there from one "
        "node while the job does not run: if the job is no faster than that, the server or its network gives no more, "
        "and a parallel file system does."
    ),
)
_ON_A_DISK = Question(
    words=(
        "{} on a disk of the node, which few can reach when the job is over. At the end of the job "
        "script, when the program is done, move a few GiB there by one process: if the ranks of a node are together "
        "no faster than that, the disk gives no more."
    ),
)
_BY_SSH = Question(
    opening="Not explained by how the files are accessed: ",
    words=(
        "{} on another machine, which sshfs reaches, and all bytes pass through one encrypted "
        "connection. Copy what is read{} before the job begins, and the results from there when it has ended:"
    ),
    actions=(RunCommand(("rsync", "-a", "--partial", *COPIED)),),
)
_OF_OBJECTS = Question(
    opening="Not explained by how the files are accessed: ",
    words=(
        "{} in an object store, shown as files by {}: each access becomes a request over the "
        "network. Copy what is read{} before the job begins, several objects at a time, and use it there:"
    ),
    actions=(RunCommand(("rclone", "copy", "--transfers", "16", *COPIED)),),
)
_IN_MEMORY = Question(
    opening="Not explained by any storage: ",
    words=(
        "{} in the memory of the node, where nothing is faster. What takes the time is copying: "
        "only less data takes less, or files that the program maps (mmap) instead of reading them."
    ),
    kind="perhaps-fine",
)
_ON_ONE_OF_SEVERAL = Question(
    words=(
        "{} of that time passes on {}, where {}/s are moved, and {}/s on {}. Run once with all of these files on {}: "
        "if they take far less time there, it is the file system, or what others did on it just then."
    ),
)
"""Where a job's file systems differ more than what it does on them."""
_BETWEEN_THEM = Question(
    words=(
        "{} of that time passes on {}, where {}/s are moved, and {}/s on {}. {} is one stream: let two work on two "
        "parts at the same time. If both take as long as one, start more{}; if each takes twice as long, {} gives no "
        "more."
    ),
)
"""The same where the program has its files in one place and wants them in another: they cannot all be in one."""
_MANY_STREAMS: Mapping[str, str] = {
    **dict.fromkeys(COPIES, ", or dcp of mpiFileUtils, which shares files and their parts out among many processes"),
    **dict.fromkeys(PACKS, ", or dtar of mpiFileUtils, which packs and unpacks with many processes"),
}
_SERVED: Mapping[str, str] = {
    **dict.fromkeys(NFS, "NFS"),
    **dict.fromkeys(("cifs", "smb3", "smbfs"), "a Windows share (SMB)"),
    **dict.fromkeys(("afs", "openafs"), "AFS"),
    "fuse.glusterfs": "GlusterFS",
}
"""By the type of the mount, what one server may give."""
_OBJECTS: Mapping[str, str] = {
    "fuse.s3fs": "s3fs",
    "fuse.goofys": "goofys",
    "fuse.geesefs": "geesefs",
    "fuse.gcsfuse": "gcsfuse",
    "fuse.rclone": "rclone",
    "fuse.blobfuse": "blobfuse",
    "fuse.blobfuse2": "blobfuse",
    "fuse.mountpoint-s3": "Mountpoint for S3",
}
_SSHFS = "fuse.sshfs"
_COPIED_FIRST = frozenset({_SSHFS, *_OBJECTS})
"""For data that is better copied as a whole than used in place."""
_TARGETS = Question(
    words=(
        "on BeeGFS a file is as fast as the storage targets that it is striped over. See how many these are, "
        "and how many there are (from BeeGFS 8 on: beegfs entry info, beegfs target list)."
    ),
    kind="look",
)


_AMONG_STRIPES = (
    " the calls that take the time, and whether these are on one of the {} OSTs of {}: the ranks that share it use "
    "them in turn, so that one slow OST makes each of these as slow, and no counter tells it."
)


def among_stripes(question: Question, metrics: Metrics) -> Question:
    """The question for a trace as it is asked of a striped file that ranks share."""
    stripes, pattern = known_number(metrics, "file.stripe_count"), known_word(metrics, "io.pattern")
    if question.trace != "shows" or stripes is None or stripes < 2 or pattern not in SHARED_FILES.words:
        return question
    by_calls = known_number(metrics, "ost.slowest_calls") is not None
    if by_calls and (known_number(metrics, "ost.compared") or 0.0) >= stripes:
        # The trace that is here has told which of them is slow, or that none is.
        return question
    largest = known_word(metrics, "file.largest")
    file = "the file" if largest is None else printable(basename(largest)) or "the file"
    return replace(question, after=_AMONG_STRIPES.format(number(stripes), file))


def _targets_of(file: FillIn) -> Question:
    entry = RunCommand(("beegfs-ctl", "--getentryinfo", file))
    return replace(_TARGETS, actions=(entry, RunCommand(("beegfs-ctl", "--listtargets", "--nodetype=storage"))))


def mount_question(cell: Cell, metrics: Metrics) -> Question | None:
    """What tells most on the kind of file system where most of the time passes, else that the largest file is on; None
    where the calls do."""
    mount, what = _mount_of_the_time(metrics)
    if mount in IN_MEMORY:
        return replace(_IN_MEMORY, words=_IN_MEMORY.words.format(what))
    if mount in _COPIED_FIRST:
        return None if known_word(metrics, "job.program") in MOVERS_OF_FILES else _copied_first(mount, what, metrics)
    moved = _moved_there(mount, what, metrics)
    if moved is not None:
        read = _read_it(mount, what, metrics)
        reads = cell == "reads" or _only_read(metrics)
        return replace(_elsewhere(moved, metrics), actions=read if reads else WRITE_IT)
    pattern = str(known_word(metrics, "io.pattern"))
    of_one_file = pattern.startswith("shared-") or pattern == "serial"
    if not of_one_file or kind_of(mount) != "beegfs":
        return None
    return _targets_of(THE_FILE if what == LARGEST else SLOW_FILE)


def _read_it(mount: str, what: str, metrics: Metrics) -> Actions:
    """A file of the job, past the memory of the node that may have it, or out of it where the mount may not let one
    past; or one that is written first, where none is large enough to be measured by."""

    def read_by_dd(file: FillIn) -> Actions:
        read = ("dd", Operand("if", file), "of=/dev/null", "bs=1M")
        if mount in ON_DISKS | NFS:
            return (RunCommand((*read, "iflag=direct")),)
        return (RunCommand(("dd", Operand("if", file), "iflag=nocache", "count=0")), RunCommand(read))

    largest = known_number(metrics, "file.size")
    if largest is not None and largest < LARGE_ENOUGH:
        write, *remove = WRITE_IT
        return (write, *read_by_dd(NEW_FILE), *remove)
    return read_by_dd(THE_FILE if what == LARGEST else SLOW_FILE)


def _only_read(metrics: Metrics) -> bool:
    """Whether the job wrote nothing: what its ranks wait for is read, too."""
    return bool(known_number(metrics, "io.bytes_read")) and known_number(metrics, "io.bytes_written") == 0


def _mount_of_the_time(metrics: Metrics) -> tuple[str, str]:
    """The type of that mount, and what lies there."""
    largest, time = known_word(metrics, "file.mount_type"), known_word(metrics, "file.time_mount_type")
    return (str(largest), LARGEST) if time is None or time == largest else (time, SLOWEST)


def _moved_there(mount: str, what: str, metrics: Metrics) -> Question | None:
    """What asks how much is moved there by one process, without the job."""
    if mount in ON_DISKS:
        return replace(_ON_A_DISK, words=_ON_A_DISK.words.format(what))
    if mount not in _SERVED or not _as_one_server(metrics):
        return None
    return replace(_ONE_SERVER, words=_ONE_SERVER.words.format(what, _SERVED[mount]))


def _as_one_server(metrics: Metrics) -> bool:
    """Whether no more passes than one server gives: some give NFS by many servers."""
    return (rate_of_most_time(metrics) or 0.0) < FAST_TOGETHER


def rate_of_most_time(metrics: Metrics) -> float | None:
    """The job's rate; the rate there where most of the time passes elsewhere than where the largest file lies, or what
    is moved elsewhere makes the job's the higher: what the memory of the nodes takes says nothing of a storage."""
    _, what = _mount_of_the_time(metrics)
    of_job, there = known_number(metrics, "io.bandwidth"), known_number(metrics, "file.time_mount_rate")
    if what != LARGEST or of_job is None or there is None:
        return there if what != LARGEST else of_job
    return min(of_job, there)


def passes_through_one_server(metrics: Metrics) -> bool:
    """Whether most of the time passes on NFS, and no more passes there than one server gives."""
    return known_word(metrics, "file.time_mount_type") in NFS and _as_one_server(metrics)


def sent_to_one_server(metrics: Metrics) -> float:
    """The bytes written on NFS where most of the metadata time passes there, and no more are than one server takes;
    else 0."""
    written, rate = (known_number(metrics, f"file.metadata_mount_{of}") for of in ("written", "write_rate"))
    there = known_word(metrics, "file.metadata_mount_type") in NFS
    return written if there and written is not None and (rate or 0.0) < FAST_TOGETHER else 0.0


FAR_SLOWER = 3.0
"""Factor between the rates on two file systems from which the one is slow: ours, as for OSTs."""


def slower_mount_question(cell: Cell, metrics: Metrics) -> Question | None:
    """Where most of the time of the cell passes on one file system of several, and far more is moved on another."""
    of_cell = {"reads": "slow_mount_read_fraction", "writes": "slow_mount_write_fraction"}.get(cell)
    part, there, elsewhere = (
        known_number(metrics, f"file.{name}")
        for name in (of_cell or "slow_mount_fraction", "slow_mount_rate", "other_mount_rate")
    )
    if part is None or part < MOSTLY:
        return None
    slow, other = (known_word(metrics, f"file.{which}_mount") or "" for which in ("slow", "other"))
    if there is None or elsewhere is None or elsewhere < FAR_SLOWER * there:
        return None
    if not (PLAIN_PATH.fullmatch(slow) and PLAIN_PATH.fullmatch(other)):
        return None
    figures = share(part), slow, size(there), size(elsewhere), other
    program = known_word(metrics, "job.program")
    if program in MOVERS_OF_FILES:
        many = _MANY_STREAMS.get(program, "")
        return replace(_BETWEEN_THEM, words=_BETWEEN_THEM.words.format(*figures, program, many, slow))
    return replace(_ON_ONE_OF_SEVERAL, words=_ON_ONE_OF_SEVERAL.words.format(*figures, other))


def _elsewhere(question: Question, metrics: Metrics) -> Question:
    there = work_directory(metrics)
    return (
        question
        if there is None
        else replace(question, words=f"{question.words} Then run once with these files on {there}.")
    )


def _copied_first(mount: str, what: str, metrics: Metrics) -> Question:
    there = work_directory(metrics)
    to = "" if there is None else f" to {there}"
    if mount == _SSHFS:
        return replace(_BY_SSH, words=_BY_SSH.words.format(what, to))
    return replace(_OF_OBJECTS, words=_OF_OBJECTS.words.format(what, _OBJECTS[mount], to))


def work_directory(metrics: Metrics) -> str | None:
    """The job's parallel file system, where one is mounted."""
    there = known_word(metrics, "job.work_directory")
    return there if there is not None and PLAIN_PATH.fullmatch(there) else None
