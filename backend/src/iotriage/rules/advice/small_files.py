"""Advice to make fewer files where there are many small ones."""

from __future__ import annotations

import re

from iotriage.metrics.tables.files.imported import is_imported
from iotriage.rules.advice.calls import library_named
from iotriage.rules.advice.placement import on_the_node_already
from iotriage.rules.advice.samples import in_python
from iotriage.rules.advice.snippets import NODE_FILE
from iotriage.rules.advice.stores import fewer_files, is_seen_by_others
from iotriage.rules.core import Advice, Citation, Context, advice, in_program
from iotriage.rules.core.action import FillIn, Named, RunCommand
from iotriage.rules.core.documented_rates import A_SMALL_FILE_S, A_STRIPED_FILE_S
from iotriage.rules.core.words import formatted, printable, seconds, sentence, size

_PACKED = (
    "Most of the files are only read: pack them into a few large ones, an HDF5 file or an archive that is read by its "
    "index"
)
_ON_THE_NODE = Citation("tacc-io", "Use Each Compute Node's /tmp Storage Space")
READ_FEWER = advice(
    f"{_PACKED}, or unpack one archive on the memory or disk of each node and read from there.", citation=_ON_THE_NODE
)
READ_FEWER_THERE = advice(f"{_PACKED}.")
"""For files that already are on the node."""


XARRAY = Citation("xarray-io", "Reading multi-file datasets")


def read_headers_once(context: Context) -> Advice:
    """For large files that are opened for a little of each."""
    library = library_named(context.file)
    text = (
        "Each file is opened for a little of it, as a header or a slice. Put that of all files into one, once, and "
        "read it there"
    )
    if library is None:
        return in_program(f"{text}; open the others for their data alone.", citation=_ON_THE_NODE)
    told = (
        f"{text}: for {library}, kerchunk and VirtualiZarr make such an index, by which the data is read where it is."
    )
    of_xarray = (
        " xarray.open_mfdataset opens them side by side with parallel=True, and does not compare what all have in "
        'common with data_vars="minimal", coords="minimal" and compat="override".'
    )
    return in_program(told + of_xarray if in_python(context) else told, citation=XARRAY)


def read_fewer(context: Context) -> Advice:
    if (of_library := _by_their_library(context)) is not None:
        return of_library
    return READ_FEWER_THERE if on_the_node_already(context) else READ_FEWER


_NUMBER = re.compile(r"\d+")
"""Folders whose names differ in numbers only, such as one for each step, are taken to hold files of one kind."""
NATIVE = Citation("nesi-io", "Nodes which access storage via native Spectrum Scale Clients")


_ENVIRONMENT = advice(
    "Build the environment in a container image, or on a disk or in the memory of the node, and bring it here as "
    "one file: such an image, a squashfs or an archive. Here each of its files is made on its own, and opened again "
    "each time that a program starts.",
    citation=Citation("cscs-guides", "Many small files vs. HPC File Systems"),
)


def write_fewer_files(context: Context) -> Advice:
    if context.file is not None and is_imported(context.file) and not on_the_node_already(context):
        return _ENVIRONMENT
    if (of_library := _by_their_library(context)) is not None:
        return of_library
    if (archive := context.word("file.archive")) is not None:
        return _leave_packed(archive)
    if _PICTURES.search(context.file or "") is not None:
        return _packed_pictures(context)
    if _ranks_beside(context) == 1:
        return in_program(
            "Write fewer files: put what belongs together into one, a data set of HDF5 or an archive, and write it in "
            "large pieces.",
            citation=NATIVE,
        )
    if _of_one_rank(context):
        return in_program(
            "Write fewer files: let the rank that writes them put what belongs together into one, a data set of HDF5 "
            "or an archive, in large pieces. Or give each rank a part of the files: they are then made side by side.",
            citation=NATIVE,
        )
    if in_python(context) and (saved := _saved_alone(context.file)) is not None:
        return in_program(saved, citation=NATIVE)
    # Ranks of other nodes have no part in a file on storage of a node.
    apart = on_the_node_already(context) and (context.number("job.nnodes") or 1.0) > 1
    return advice(
        f"Write fewer files: put what belongs together into one {'file' if apart else 'shared file, or one'} per node.",
        NODE_FILE,
        citation=Citation("archer2-io", "File-per-node (FPN)"),
    )


_PICTURES = re.compile(r"\.(png|jpe?g|tiff?|bmp|gif|p[bgpn]m|exr)$", re.IGNORECASE)
"""A picture is a file that others open: it has no part in one that all ranks write together."""


def _packed_pictures(context: Context) -> Advice:
    there = "" if on_the_node_already(context) else "write them to the disk or the memory of the node, and "
    whose = "them" if _ranks_beside(context) == 1 else "those of each node"
    return in_program(
        f"Write fewer pictures, or {there}pack {whose} into one archive at the end (tar): what takes the "
        "time is to make each file, not its bytes.",
        citation=_ON_THE_NODE,
    )


_SAVED_ALONE = (
    (
        re.compile(r"\.np[yz]$"),
        "Write fewer files: let each rank put what it has for many samples into one array with a dimension more, and "
        "save that in large pieces (numpy.save; what is wanted of it is read by numpy.load with mmap_mode='r'), or "
        "into a data set of HDF5 or Zarr.",
    ),
    (
        re.compile(r"\.(pt|pth)$"),
        "Write fewer files: let each rank save what belongs together in one call of torch.save, as a dictionary, or "
        "all ranks together by torch.distributed.checkpoint, which makes one file for each.",
    ),
)


def _saved_alone(path: str | None) -> str | None:
    """How fewer files are made of what Python saves one by one."""
    return next((said for names, said in _SAVED_ALONE if names.search(path or "") is not None), None)


def _leave_packed(archive: str) -> Advice:
    name = printable(archive.rpartition("/")[2])
    return in_program(
        f"If they come out of {name}, read them where they lie in it (in Python by tarfile or zipfile, samples by "
        "WebDataset), or unpack it once on the disk or in the memory of each node, and read them there. Else put what "
        "belongs together into one file.",
        citation=_ON_THE_NODE,
    )


def _by_their_library(context: Context) -> Advice | None:
    """Where a library laid them out; of a job with other files, where those of its first group are the many."""
    folder, fullest = (context.file or "").rpartition("/")[0], context.word("file.fullest_directory") or ""
    many = _NUMBER.sub("#", folder) == _NUMBER.sub("#", fullest) or is_seen_by_others(context.file)
    if context.files is None and not many:
        return None
    return next(iter(fewer_files(context.file, NATIVE)), None)


def _ranks_beside(context: Context) -> float | None:
    """Those of the step that makes the files: of all files of a job that in which the slowest rank is."""
    of_step = context.number("balance.ranks") if context.files is None else None
    return context.number("job.nprocs") if of_step is None else of_step


def _of_one_rank(context: Context) -> bool:
    """Whether one rank makes them: it may move nearly all bytes of the job while others make files, too, and where it
    makes them in a step of its own, others move the bytes."""
    busiest = context.number("posix.metadata_busiest_share")
    if context.word("io.pattern") == "serial":
        return busiest is None or busiest >= MOST_METADATA
    return (busiest or 0.0) >= NEARLY_ALL_METADATA


MOST_METADATA, NEARLY_ALL_METADATA = 0.5, 0.9
"""Of the metadata time, from which it is one rank's: of one that moves most bytes, and of any."""


READ_EACH_ONCE = (
    "Read each file once and keep what it has in memory, or have a cache of the data loader do so, where that is "
    "enough: now each is opened and read again and again."
)
"""For files of which a rank has more than it can keep open, or reads all at each open."""


def mostly_read(context: Context) -> bool:
    """Whether the files are read rather than made. Where records were lost, those that are left decide."""
    not_written = context.number("file.not_written_fraction")
    if not_written is not None:
        return not_written >= MOST_FILES
    read, written = context.number("io.bytes_read") or 0.0, context.number("io.bytes_written") or 0.0
    return read > 0 and written < LITTLE * read


MOST_FILES, LITTLE = 0.5, 0.1
"""Share of the files, and bytes written for each byte read."""


def moved_per_file_sentence(context: Context, bytes_each: float | None, *, read_part: float | None) -> str | None:
    """By the part of it that is read: where most files are opened alone, few of them may have all that is written."""
    if read_part is None:
        read_part = float(mostly_read(context))
    if read_part >= 1 - LITTLE:
        text = "{} were read per file on average."
    elif read_part <= LITTLE and not mostly_read(context):
        text = "On average a file got {}."
    else:
        text = "{} were read or written per file on average."
    return sentence(text, formatted(bytes_each or None, size))


def make_fewer_files(context: Context, *fewer: Advice) -> tuple[Advice, ...]:
    """What makes fewer files, and for written files on Lustre of which no source lists the stripes, to see these: that
    first, where most of what an open takes is beyond what is documented of files with one stripe."""
    if context.file_system != "lustre" or context.number("file.stripe_count") is not None:
        return fewer
    each = None if _stats_beside_opens(context) else _seconds_of_a_call(context)
    if each is None or each <= 2 * A_SMALL_FILE_S:
        return (*fewer, _see_their_stripes(context, "takes far longer to make than one on a single OST."))
    documented = f"EPCC's slides have {seconds(A_SMALL_FILE_S)} of a file on one OST, {seconds(A_STRIPED_FILE_S)} on 48"
    longer = f"takes far longer to make: {documented}."
    return (_see_their_stripes(context, longer), *fewer)


def _see_their_stripes(context: Context, longer: str) -> Advice:
    directory = _where_they_are_made(context)
    where = FillIn("DIRECTORY", "the directory of the files") if directory is None else Named(directory)
    return advice(
        f"See how new files are striped there: a file over many OSTs {longer} Where the count is not 1, set it to 1 "
        "for small files, or for one file a rank.",
        RunCommand((*_SEE_STRIPES, where)),
        citation=Citation("epcc-pio", "slide 9"),
    )


def _where_they_are_made(context: Context) -> str | None:
    """Of a whole job the fullest directory, where modules of the program do not lie in it."""
    folder, fullest = (context.file or "").rpartition("/")[0], context.word("file.fullest_directory")
    of_others = context.files is not None or context.number("file.imported")
    return folder if folder and (of_others or fullest is None) else fullest


def is_look_at_stripes(one: Advice) -> bool:
    """Whether it is `make_fewer_files`' look at the stripes, by which alone no file is spared."""
    return any(isinstance(action, RunCommand) and action.words[:3] == _SEE_STRIPES for action in one.actions)


_SEE_STRIPES = ("lfs", "getstripe", "-d")


def _seconds_of_a_call(context: Context) -> float | None:
    """Of an open with its close, by the rank that makes it, or of a stat where there are some. Darshan has one time of
    all metadata calls: where stats are many, files of the job are imported beside them, or closes take most of it,
    nobody knows what an open takes."""
    imported = context.files is None and context.number("file.imported")
    if imported or context.word("posix.metadata_mostly") == "closes":
        return None
    took, opens = context.number("posix.metadata_time"), context.number("posix.opens")
    if not opens and context.word("io.layer") == "STDIO":
        return context.number("stdio.open_time")
    if took is None or not opens or (context.number("posix.stats") or 0.0) >= STATS * opens:
        return None
    return took / (opens + (_stats_beside_opens(context) or 0.0))


def _stats_beside_opens(context: Context) -> float | None:
    """Their number, where there are enough to take a part of the time of opens."""
    stats, opens = context.number("posix.stats") or 0.0, context.number("posix.opens") or 0.0
    return stats if stats > FEW_STATS * opens else None


def each_open_phrase(context: Context) -> str:
    """What a headline goes on with where an open takes long on any file system; else empty."""
    call = "open" if _stats_beside_opens(context) is None else "open or stat"
    return slow_open_phrase(_seconds_of_a_call(context), call)


def slow_open_phrase(each: float | None, call: str = "open") -> str:
    return f", and each {call} takes {seconds(each)}" if each is not None and each >= A_STRIPED_FILE_S else ""


def each_open_sentence(context: Context) -> str | None:
    each = _seconds_of_a_call(context)
    if _stats_beside_opens(context) is None:
        return open_sentence(each)
    return sentence("An open or a stat takes {} on average.", formatted(each, seconds))


def open_sentence(each: float | None) -> str | None:
    return sentence("An open takes {}, with its close.", formatted(each, seconds))


STATS, FEW_STATS = 4, 0.1
"""Stats for each open, from which they may be what takes the time, and from which they take a part of it."""
