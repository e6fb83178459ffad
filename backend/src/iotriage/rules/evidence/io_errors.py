"""Reads or writes failed while the job ran.

## What it does
Counts the error lines that Cray MPICH prints when a read or write of its own fails (`ADIOI_CRAY_READCONTIG`,
`ADIOI_CRAY_WRITECONTIG`), and names the reason that the system gave; without any, the lines in which a program, a
library or a command gives one in the system's words: that the quota was used up or the file system full, an
input/output error, a stale file handle, no locks, a file that another process has locked or that the job may not use,
more open files than are allowed, a server that was shut down or did not answer, a mount that is gone or may only be
read, a file that is as large as it may be, or a program that is being written while it runs. It also counts the lines
that the MPI library prints when one of its own assertions fails (`ADIOI_CRAY_Calc_aggregator_pfl`, for example), or
when its I/O gets no memory (`Out of memory in file …/romio/…`).

## Why it matters
By default the library does not end the run when a read or write fails (`MPICH_MPIIO_ABORT_ON_RW_ERROR` is off). The
job may finish, report success, and have lost the data. Nothing else on this page matters as much.

## What to do
Treat the files as incomplete. Remove the reason: EDQUOT and ENOSPC mean that the quota or the file system was full, EIO
that a server or the network failed, ESHUTDOWN that a server of the file system cut the node off; ESTALE that files were
removed or replaced while the job had them open, or a server of NFS came up again; ENOLCK, ENOSYS, EOPNOTSUPP and
ENOTSUPP (524) that the mount gives no locks, EAGAIN that another process holds them; EMFILE that a process has as many
files open as it may, pipes and sockets among them, and ENFILE that all of a node have; ENOMEM that the buffers of the
MPI library's I/O found no room beside the program; EROFS that the place may only be read, ENOTCONN and EREMOTEIO that
what serves it is gone, ETIMEDOUT, EHOSTDOWN and ECOMM that it did not answer, EACCES that a file is another's, EFBIG
that a limit of the shell or of the file's stripes is reached, ETXTBSY that a program was replaced while it ran. Let the
next run stop at the first error. An internal error is the library's: its support needs the lines, and where the
function is the one for progressive layouts, a plain one may avoid it.

## Limits
Only what was printed into the text given here is counted; a text that was cut off may hide more. Of what a program or
a command of the script prints, nothing tells which of the files it was.
"""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.metrics.mpi.library import CRAY_MPICH
from iotriage.rules.advice.calls import at_least
from iotriage.rules.advice.striping import NEW_DIRECTORY, Stripes, default_sentence, set_stripe
from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.action import Export, FillIn, Named, RunCommand
from iotriage.rules.core.condition import Compare, Present, any_of, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.support import SupportText, naming_support
from iotriage.rules.core.words import formatted, paragraph, plural, printable, sentence, size
from iotriage.sites import kind_on
from iotriage.sites.site import FileSystemKind

CALLS = Threshold(
    id="io-errors.calls",
    title="Failed reads and writes, or internal errors, from which it is a finding",
    default=1.0,
    unit="calls",
    stated_by=ours("failed reads and writes", "One lost write is one too many."),
    slider=logarithmic(1.0, 1000.0),
)

ABORT = Citation("intro-mpi", "MPICH_MPIIO_ABORT_ON_RW_ERROR")

_NO_LOCKS = "Files could not be locked: the file system or its mount gives no locks."
_HEADLINES = {
    "EDQUOT": "Writes failed because the quota was used up: the files lack data.",
    "ENOSPC": "Writes failed because the file system was full: the files lack data.",
    "EIO": "Reads or writes failed with an input/output error: data is missing.",
    "ESTALE": "Files went away under the job: its file handles were stale.",
    "ENOLCK": _NO_LOCKS,
    **dict.fromkeys(("ENOSYS", "EOPNOTSUPP", "ENOTSUPP"), _NO_LOCKS),
    "EAGAIN": "Files could not be opened: another process has locked them.",
    "EMFILE": "A process had as many files open as it may, and could open no more.",
    "ENFILE": "A node had as many files open as it may, and could open no more.",
    "ENOMEM": "The MPI library got no memory for its I/O, and ended the run.",
    "ESHUTDOWN": "The file system cut off a node of the job: its reads and writes failed.",
    "EROFS": "Files could not be written where the job may only read.",
    "EFBIG": "A file could not grow: it is as large as it may be.",
    "EACCES": "Files could not be opened or made: the job's user may not.",
    **dict.fromkeys(
        ("ETIMEDOUT", "EHOSTDOWN", "ECOMM"), "The file system did not answer the job: its reads or writes failed."
    ),
    "ETXTBSY": "A program was being written while it was to be started, or the other way round.",
    **dict.fromkeys(
        ("ENOTCONN", "EREMOTEIO"), "A mounted file system was not there for the job: what serves it failed."
    ),
}
_NOT_LOCKED = ("ENOLCK", "ENOSYS", "EOPNOTSUPP", "ENOTSUPP")
_OF_LIBRARIES = "Libraries that lock what they open, as HDF5 does, do not open files then."
_CAUSES = {
    "EIO": "The file system or the network to it failed.",
    "ESTALE": "They were removed or replaced while they were open, by another job or node, or their server of NFS came "
    "up again.",
    "ENOLCK": _OF_LIBRARIES,
    **dict.fromkeys(("ENOSYS", "EOPNOTSUPP", "ENOTSUPP"), _OF_LIBRARIES),
    "EAGAIN": "HDF5 locks a file that it opens: one program at a time may write it, and nobody reads it meanwhile.",
    "EROFS": "Centres mount homes and software so on compute nodes; and a file system that found damage lets nobody "
    "write.",
    "EFBIG": "The limit is that of the shell (ulimit -f), or that of the file system, which on Lustre lets a file of "
    "more stripes grow larger.",
    **dict.fromkeys(("ETIMEDOUT", "EHOSTDOWN", "ECOMM"), "Its servers, or the network to them, were in trouble."),
    "EMFILE": "Its pipes and sockets count too, as a pool of worker processes has some for each.",
    "ENOMEM": "Its buffers, and its lists of the pieces that ranks write together, stand beside the program's own "
    "memory, the most of them on the aggregators.",
    "ESHUTDOWN": "A server of Lustre evicts a client that does not answer in time: the node, the network or the server "
    "was in trouble.",
}


def _calls(count: float) -> str:
    return plural(count, "read or write", "reads or writes")


_LOCKS = advice(
    "Put the files on a file system that locks; or, where each is opened by one program at a time, tell HDF5 not to "
    "lock them.",
    Export("HDF5_USE_FILE_LOCKING", "FALSE"),
)
_SIEVING = advice(
    "Where the words are of ADIOI_Set_lock, it is ROMIO that locks, to write with data sieving: open the file with the "
    "hint romio_ds_write set to disable."
)
_TO_SUPPORT = advice(
    SupportText(
        "Ask your centre's support whether the file system or the node was in trouble at that time, with the lines, "
        "the job's number and its nodes.",
        "Send us the lines, the job's number and its nodes: we look whether the file system or the node was in trouble "
        "at that time.",
    )
)


def _internal(context: Context) -> bool:
    """Whether the library itself failed, and no read or write of it did."""
    return bool(context.number("errors.internal")) and not context.number("errors.failed_calls")


def _says_internal(context: Context) -> Words:
    function = context.word("errors.internal_function")
    return Words(
        "The MPI library failed with an internal error in its I/O: a defect of the library, not of the program.",
        paragraph(
            sentence(
                "{}, in {}.",
                formatted(context.number("errors.internal"), lambda n: plural(n, "internal error")),
                function and printable(function),
            ),
            sentence(
                "The run was aborted, by {}.",
                formatted(
                    context.number("errors.aborts") or None,
                    lambda n: plural(n, "call of MPI_Abort", "calls of MPI_Abort"),
                ),
            ),
        ),
    )


def _against_internal(context: Context) -> tuple[Advice, ...]:
    report = advice(
        naming_support(lambda support: f"Send the lines of the error and the version of the MPI library to {support}.")
    )
    function = context.word("errors.internal_function") or ""
    if "pfl" not in function:
        return (report,)
    new, wanted = NEW_DIRECTORY, Stripes(count=8)
    text = f"{printable(function)} is for progressive layouts: files in a directory with a plain layout may avoid it."
    plain_layout = advice(f"{text}{default_sentence(context, wanted)}", set_stripe(context, new, wanted, new=True))
    return (plain_layout, report)


def says(context: Context) -> Words:
    if _internal(context):
        return _says_internal(context)
    cause = context.word("errors.cause")
    reason = f" ({printable(cause)})" if cause else ""
    return Words(
        _of_files(context)
        or _HEADLINES.get(cause or "", "Reads or writes failed, and the run may have gone on without the data."),
        paragraph(
            sentence("{} failed{}.", formatted(_of_the_library(context) or None, _calls), reason),
            sentence(
                _cause_sentence(cause),
                formatted(context.number("errors.program_lines") or None, lambda n: plural(n, "line")),
            ),
            _CAUSES.get(cause or ""),
            _used_up(context),
            sentence(
                f"They were to move {at_least(context, 'errors.failed_bytes')}{{}}.",
                formatted(context.number("errors.failed_bytes"), size),
            ),
        ),
    )


def _of_files(context: Context) -> str | None:
    """Where it is their number that is at its limit, whatever space is left."""
    if _what_is_used_up(context) != "files":
        return None
    if context.word("errors.cause") == "EDQUOT":
        return "Files could not be made because the quota of files was used up: their number, not their size."
    of = context.word("errors.used_up_by")
    text = "Files could not be made because {} had no inodes left, whatever space was free."
    return sentence(text, of and printable(of))


def _what_is_used_up(context: Context) -> str | None:
    """None where OSTs are full too: one list of two tells no more than the other which of them it was."""
    return None if context.word("errors.full_osts") is not None else context.word("errors.used_up")


def _used_up(context: Context) -> str | None:
    what, by = _what_is_used_up(context), context.word("errors.used_up_by")
    if what is None or by is None or context.word("errors.cause") != "EDQUOT":
        return None
    return f"The list of quotas says so of {printable(by)}: {_IN_WORDS[what]} used up."


_IN_WORDS = {
    "files": "the number of files is",
    "space": "the space is",
    "space and files": "both the space and the number of files are",
}


def _fewer_files(context: Context) -> Advice | None:
    """Against what is used up, where a list that is given says what it is: nothing is left to look up."""
    what, quota = _what_is_used_up(context), context.word("errors.cause") == "EDQUOT"
    if what is None or _not_lustre(context) == "local":
        return None
    more = ", or ask for more quota," if quota else ""
    if what == "space":
        return advice(f"Make room{more} before the next run: it is the space that is used up.", citation=ABORT)
    also = "" if what == "files" else "Make room too: both are used up. "
    return advice(
        f"Remove files that are not needed, or pack many into one (tar, zip, or one HDF5 file){more} before the next "
        f"run. {also}Writing less to each file does not help.",
        citation=ABORT,
    )


def _cause_sentence(cause: str | None) -> str:
    """What is said to have failed: only what is full takes nothing more and still gives."""
    if cause == "ENOMEM":
        return "It says so in {}."
    failed = "writes failed" if cause in ("EDQUOT", "ENOSPC", "EROFS", "EFBIG") else "reads or writes failed"
    if cause in ("EAGAIN", "EMFILE", "ENFILE", "EACCES"):
        failed = "files could not be opened"
    if cause == "ETXTBSY":
        failed = "a program could not be started or replaced"
    return f"The output says that {failed} in {{}}, in words of the program or of a command."


def _of_the_library(context: Context) -> float:
    """What a program says has no bytes, and what the library says may be cut off before them."""
    told = context.number("errors.failed_bytes") is not None or not context.number("errors.program_lines")
    return (context.number("errors.failed_calls") or 0.0) if told else 0.0


def _not_lustre(context: Context) -> FileSystemKind | None:
    """The kind of file system that the files are on, "unknown" for one that a centre's profile does not have; None
    where it is Lustre, or nothing says that it is another."""
    where, systems = context.word("errors.directory"), context.site.file_systems
    kind = "unknown" if where is None else kind_on(context.site.file_system_of(where), (), f"{where}/")
    if kind != "unknown" or (where is not None and systems):
        return None if kind == "lustre" else kind
    if context.site.kind == "gpfs":
        return "gpfs"
    kinds = {system.kind for system in systems} - {"local"}
    return kinds.pop() if len(kinds) == 1 and "lustre" not in kinds else None


def _its_directory(context: Context) -> str | Named:
    where = context.word("errors.directory")
    return "." if where is None else Named(where)


def _more_quota(context: Context) -> Advice:
    """Without a command for file systems whose quota a centre's own command tells."""
    text, kind = "Make room, or ask for more quota, before the next run.", _not_lustre(context)
    if kind is None:
        look = RunCommand(("lfs", "quota", "-h", _its_directory(context)))
        lead = None if _known_as_lustre(context) else "On Lustre, what there is left:"
        return advice(text, look, citation=ABORT, lead=lead)
    by_kind = {"gpfs": ("mmlsquota", "--block-size", "auto"), "nfs": ("quota", "-s")}
    look_there = (RunCommand(by_kind[kind]),) if kind in by_kind else ()
    return advice(text, *look_there, citation=ABORT)


def _known_as_lustre(context: Context) -> bool:
    """Whether anything says so of the place; else it is only not known to be another."""
    where, systems = context.word("errors.directory"), context.site.file_systems
    if where is not None:
        return kind_on(context.site.file_system_of(where), (), f"{where}/") == "lustre" or context.site.kind == "lustre"
    return context.site.kind == "lustre" or any(system.kind == "lustre" for system in systems)


def _of_another_quota(context: Context) -> Advice | None:
    """Where a list that is given has room: a file counts for its owner, for its group and for its directory's project,
    and any of them may be used up."""
    has_room = context.word("errors.quota_room")
    if has_room is None:
        return None
    kinds = {name.split()[0] for name in has_room.split(" and ")}
    text = f"The list of quotas that is given has room for {printable(has_room)}."
    if _not_lustre(context) is not None or not kinds & {"usr", "grp", "prj"}:
        return advice(f"{text} See the other quotas that count there, of the group or the directory.", citation=ABORT)
    if "grp" not in kinds:
        group = FillIn("GROUP", "the group of the files")
        look = RunCommand(("lfs", "quota", "-h", "-g", group, _its_directory(context)))
        return advice(f"{text} See that of the group that the files belong to.", look, citation=ABORT)
    if "prj" not in kinds:
        look = RunCommand(("lfs", "project", "-d", _its_directory(context)))
        text += " See whether the directory is of a project, and with lfs quota -p what that has left."
        return advice(text, look, citation=ABORT)
    return advice(
        f"{text} Files may have been removed since the write failed: run again, and ask for more quota if it fails "
        "again.",
        citation=ABORT,
    )


def _against_no_space(context: Context) -> Advice:
    kind, full = _not_lustre(context), context.word("errors.full_osts")
    if kind == "local":
        text = (
            "Let temporary files go to the scratch file system: that directory is of one node, and often in its memory."
        )
        known = _what_is_used_up(context) is not None
        return advice(text, *(() if known else (RunCommand(("df", "-h", _its_directory(context))),)))
    if kind is None and full is not None:
        return advice(
            f"Make room on {printable(full)}, or have files made anew on other OSTs: a file keeps its OSTs, and fails "
            "when one of them is full, whatever the others have left.",
            citation=ABORT,
        )
    if kind is None:
        command = RunCommand(("lfs", "df", "-h", _its_directory(context)))
        text = "Check the space on the OSTs that hold the files, and with -i for -h whether inodes are left."
        lead = None if _known_as_lustre(context) else "On Lustre:"
        return advice(text, command, citation=ABORT, lead=lead)
    command = RunCommand(("df", "-h", _its_directory(context)))
    return advice("Check the space on the file system that holds the files.", command, citation=ABORT)


def _against_no_permission(context: Context) -> Advice:
    where = context.word("errors.directory")
    text = (
        "See who may use the path: the job's user must be able to enter each directory of it, to read what it reads, "
        "and to write to the directory in which it makes files."
    )
    return advice(text, *(() if where is None else (RunCommand(("namei", "-l", Named(where))),)))


_ALWAYS: Mapping[str, Advice] = {
    **dict.fromkeys(
        ("EIO", "ESHUTDOWN", "ENFILE", "ENOTCONN", "EREMOTEIO", "ETIMEDOUT", "EHOSTDOWN", "ECOMM"), _TO_SUPPORT
    ),
    **dict.fromkeys(_NOT_LOCKED, _LOCKS),
    "ESTALE": advice(
        naming_support(
            lambda support: (
                "Let nothing remove or replace files that a running job reads or writes: programs, "
                f"environments and input too. Where nothing did, tell {support} the time and the path."
            )
        )
    ),
    "EAGAIN": advice(
        "Let one program at a time open a file to write it, and close it before another opens it; look for one of "
        "an earlier run that still has it open."
    ),
    "EMFILE": advice(
        "Close files when they are done with. Where so many are needed at once, raise the limit before the program "
        "starts; srun hands it on.",
        RunCommand(("ulimit", "-Sn", "hard")),
    ),
    "EROFS": advice(
        naming_support(
            lambda support: (
                "Write to a directory that is for the output of jobs. Where the job wrote to this one "
                f"before, tell {support}."
            )
        )
    ),
    "EFBIG": advice(
        "See what the shell allows in the job script; where that is no limit, write several files, or on Lustre "
        "give the file more stripes.",
        RunCommand(("ulimit", "-f")),
    ),
    "ETXTBSY": advice(
        "Start no program before the command that writes it has ended, and copy a new one under another name, "
        "then rename it (mv)."
    ),
    "ENOMEM": advice(
        naming_support(
            lambda support: (
                "Put fewer processes on a node, or take more nodes. Where the nodes had memory left, "
                f"send the lines and the version of the MPI library to {support}: it may have asked for too much."
            )
        )
    ),
}
"""By the cause of an error, what to do wherever it came from."""


def _against(cause: str, context: Context) -> Advice | None:
    """What to do about the cause of an error; None for one that nothing is known of."""
    match cause:
        case "EDQUOT":
            return _fewer_files(context) or _of_another_quota(context) or _more_quota(context)
        case "ENOSPC":
            return _fewer_files(context) or _against_no_space(context)
        case "EACCES":
            return _against_no_permission(context)
        case _:
            return _ALWAYS.get(cause)


def _incomplete(context: Context) -> Advice:
    """What stops the next run is Cray's: where another library runs, the files are as incomplete."""
    library = context.word("mpi.library") or context.site.mpi_library
    if not _of_the_library(context) or library not in (None, CRAY_MPICH):
        return advice("Treat the files of this run as incomplete.")
    return advice(
        "Treat the files of this run as incomplete, and let the next run stop at the first error.",
        Export("MPICH_MPIIO_ABORT_ON_RW_ERROR", "enable"),
        citation=ABORT,
    )


def advise(context: Context) -> tuple[Advice, ...]:
    if _internal(context):
        return _against_internal(context)
    cause = context.word("errors.cause") or ""
    check = _against(cause, context)
    stop = _incomplete(context)
    if check is _TO_SUPPORT and _of_the_library(context):
        return (stop, check)
    # Of files that could not be locked nothing was written.
    locks = cause in _NOT_LOCKED and not _of_the_library(context)
    if cause in ("ETXTBSY", "EACCES"):
        return tuple(a for a in (check,) if a is not None)
    return tuple(a for a in (check, _SIEVING if locks else stop) if a is not None)


rule = Rule(
    id="io-errors",
    title="Failed reads or writes",
    clear_title="No read or write failed",
    scope="job",
    severity="high",
    priority=1,
    requires=Present("errors.failed_calls"),
    condition=any_of(
        Compare("errors.failed_calls", ">=", CALLS.id),
        when_present("errors.internal", Compare("errors.internal", ">=", CALLS.id)),
    ),
    thresholds=(CALLS,),
    citations=(ABORT,),
    says=says,
    advise=advise,
    weighed=False,
)
