"""Lines of code and hints that make a program's I/O collective, by the library it calls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from iotriage.metrics.hdf5.accesses import NAMED_HDF5
from iotriage.metrics.mpi.library import CRAY_MPICH
from iotriage.metrics.tables.mounts import OF_ONE_NODE
from iotriage.metrics.tables.settings import HINT_VARIABLE, patterns_of
from iotriage.rules.advice.python_snippets import SAVE_FROM_ALL_RANKS
from iotriage.rules.advice.snippets import (
    COLLECTIVE,
    COLLECTIVE_READ,
    GATHER_ON_NODE,
    NODE_FILE,
    NONBLOCKING_PNETCDF,
    OFFSETS_BY_SCAN,
    PARALLEL_READ,
    PARALLEL_WRITE,
    READ_TOGETHER,
    SHARED_WRITE,
    aligned,
)
from iotriage.rules.advice.stores import fewer_files
from iotriage.rules.core import Advice, Citation, Context, advice, in_program
from iotriage.rules.core.action import (
    Action,
    EditCode,
    Export,
    FileHint,
    Library,
    ModuleLoad,
    ModuleSwap,
    MpiioHint,
    SetHint,
    SiteLines,
)
from iotriage.rules.core.words import formatted, number, plural, printable, size
from iotriage.sites.site import EnvironmentAdvice

_SAFE_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXPORTED = re.compile(r'export (?P<name>\w+)=(?P<quote>"?)(?P<value>[^"$`\\]*)(?P=quote)')
_FORMAT_ENDING = re.compile(r"\.(?:h5|hdf5|he5|h4|nc4|bp[45]|mp4)$", re.IGNORECASE)
"""Endings of which the digit counts no files."""
_NAMED_WITHOUT_ENDING = re.compile(r"(^|[/_-])hdf5[_-][\w-]+$")
_NETCDF_NAME = re.compile(r"\.nc4?$", re.IGNORECASE)

ARCHER_COLLECTIVE = Citation("archer-bpg", "Summary of performance advice")
LIBRARIES = Citation("theta-io", "Theta IO Libraries")
PYTORCH = Citation("pytorch-dcp", "Distributed Checkpoint")
NAMED_PYTORCH = (".pt", ".pth", ".ckpt", ".safetensors")
NAMED_PACKED = (".tar", ".tgz", ".zip", ".gz", ".bz2", ".xz", ".zst", ".npz", ".pkl", ".pickle", ".rds", ".joblib")
"""What these files hold is one stream, of which no rank can write a part."""
RECORDS = re.compile(r"\.tfrecords?(-\d+-of-\d+)?$", re.IGNORECASE)
"""Names of shards of samples that are read record by record, as packed ones are."""


_COLLECTIVE_TEXT: dict[Library, str] = {
    "HDF5": "Ask HDF5 for collective transfers.",
    "netCDF-4": "Ask netCDF for collective access to each variable.",
    "PnetCDF": "Use the collective data mode of PnetCDF: the routines whose names end in _all.",
    "MPI-IO": "Use the collective routines, whose names end in _all.",
}


_THROUGH_MPI_IO = "Access the file through MPI-IO, with the collective routines, whose names end in _all."


def library_of(context: Context) -> Library:
    """The library whose calls advice is about: MPI-IO where there is none above it. Darshan sees HDF5 below netCDF-4,
    so the name of the file tells; and that it is HDF5's, for Darshan has records of HDF5 only where it was built so."""
    if context.api == "HDF5":
        return "netCDF-4" if _NETCDF_NAME.search(context.file or "") else "HDF5"
    if context.api == "PnetCDF":
        return "PnetCDF"
    path = context.file or ""
    return library_named(path) or "MPI-IO" if _is_of_hdf5(path) else "MPI-IO"


def through_mpi_io(context: Context) -> bool:
    """Whether the files are opened with MPI-IO, by the program or by a library above it."""
    return context.api in ("HDF5", "PnetCDF", "MPI-IO")


def align_to_stripes(context: Context, text: str, file: str | None, citation: Citation) -> Advice:
    """`text` ends before what is to begin on a boundary: data sets, where a library has them, with how it is told."""
    library = "PnetCDF" if context.api == "PnetCDF" else library_named(file) or library_of(context)
    lines = aligned(library, int(context.number("file.stripe_size") or 2**20))
    if lines is None:
        return in_program(f"{text} part of the file on a stripe boundary.", citation)
    return advice(f"{text} data set on a stripe boundary.", lines, citation=citation)


def library_named(path: str | None) -> Library | None:
    """The library whose files are named so, where a program calls it without MPI: no layer of the log shows it."""
    name = path or ""
    if _NETCDF_NAME.search(name):
        return "netCDF-4"
    return "HDF5" if _is_of_hdf5(name) else None


def _is_of_hdf5(path: str) -> bool:
    """By the ending, or by the name of one that has none, as FLASH's are (`run_hdf5_chk_0001`)."""
    name = path.lower()
    return name.endswith(NAMED_HDF5) or _NAMED_WITHOUT_ENDING.search(name) is not None


def make_collective(context: Context, *, reads: bool | None = None) -> Advice:
    """The collective form of the call, in the library that the files are written with: of reads where `reads` says so,
    or by far the most bytes are read."""
    way = mostly_reads(context, times=2.0) if reads is None else reads
    if _of_each_node(context, context.word("file.mount_type")):
        return _among_ranks_of_a_node(reads=way)
    elsewhere = context.api in ("POSIX", "STDIO") and context.word("io.layer") != "MPI-IO"
    packed = _of_one_stream(context.file, reads=way) if elsewhere else None
    if packed is not None:
        return packed
    named = library_named(context.file) if elsewhere else None
    if named is not None:
        return _in_parallel(named, reads=way)
    library = library_of(context)
    called = _THROUGH_MPI_IO if elsewhere else _COLLECTIVE_TEXT[library]
    code = (COLLECTIVE_READ if way else COLLECTIVE)[library]
    return advice(f"{called} {_CHECK}", code, citation=ARCHER_COLLECTIVE)


def _of_each_node(context: Context, mount: str | None) -> bool:
    """Whether the files, on a mount of that type, lie on a disk or in memory of each of several nodes, and are opened
    without MPI-IO: of one name are as many files as nodes, and all ranks together would write into those of a few."""
    return mount in OF_ONE_NODE and (context.number("job.nnodes") or 1.0) > 1 and not through_mpi_io(context)


def _among_ranks_of_a_node(*, reads: bool) -> Advice:
    where = "The ranks of other nodes cannot reach what lies on a node's own disk or in its memory."
    if reads:
        part = "Let each rank read its part in blocks of 1 MiB or more"
        return advice(f"{where} {part}; a file that one node alone has is copied to the others first.")
    text = (
        f"{where} Where ranks write together there, use collective calls among the ranks of each node, one file per "
        "node."
    )
    return advice(text, NODE_FILE, citation=Citation("archer2-io", "File-per-node (FPN)"))


_CHECK = "Then check that the calls really are collective: libraries fall back silently."


def _in_parallel(library: Library, *, reads: bool) -> Advice:
    text = f"Open the file with all ranks, by {library} built with MPI, and ask for collective access. {_CHECK}"
    return advice(text, (PARALLEL_READ if reads else PARALLEL_WRITE)[library], citation=LIBRARIES)


def read_in_parallel(context: Context, text: str, path: str | None, citation: Citation) -> Advice:
    """Advice to have all ranks read their parts of the file at `path`, which one reads now."""
    if _of_each_node(context, context.word("balance.alone_mount")):
        return _among_ranks_of_a_node(reads=True)
    packed = _of_one_stream(path, reads=True)
    if packed is not None:
        return packed
    named = None if through_mpi_io(context) else library_named(path)
    if named is None:
        return advice(text, read_together(context, path), citation=citation)
    return advice(f"{text} {named} built with MPI opens it with all of them.", PARALLEL_READ[named], citation=citation)


def read_together(context: Context, path: str | None) -> EditCode:
    """One call of all ranks for the file at `path`, in the library that it is read with: what lies where in such a file
    is for that library to know."""
    if through_mpi_io(context):
        return COLLECTIVE_READ[library_of(context)]
    named = library_named(path)
    return READ_TOGETHER if named is None else PARALLEL_READ[named]


def agree_on_offsets(instead: str, citation: Citation) -> Advice:
    """Offsets that the ranks work out together; `instead` begins the sentence."""
    text = (
        f"{instead}, have the ranks work out their places by one MPI_Scan of what each has to write, and write "
        "collectively."
    )
    return advice(text, OFFSETS_BY_SCAN, citation=citation)


def aggregate_variables(context: Context) -> tuple[Advice, ...]:
    """PnetCDF's nonblocking calls, which put small variables together; nothing for other libraries."""
    if context.api != "PnetCDF":
        return ()
    text = "Where the variables are small, post their writes and let one call write all of them together."
    snippet = NONBLOCKING_PNETCDF
    return (advice(text, snippet, citation=LIBRARIES),)


def _is_of_pytorch(path: str | None) -> bool:
    return path is not None and path.lower().endswith(NAMED_PYTORCH)


def is_one_object(path: str | None) -> bool:
    """Whether the file at `path` is packed or saved as one object: several ranks write a file each instead."""
    return path is not None and path.lower().endswith(NAMED_PACKED + NAMED_PYTORCH)


def loses_parallel_writes(path: str | None) -> bool:
    """Whether what several ranks write to the file at `path`, each its part and without one another, is lost."""
    return is_one_object(path) or library_named(path) is not None


def _of_one_stream(path: str | None, *, reads: bool) -> Advice | None:
    """For a file that is packed, or written as one object; None for others."""
    if path is None or not path.lower().endswith(NAMED_PACKED):
        return None
    if reads:
        return in_program(
            "What is packed into one file is one stream, of which no rank can take its part: unpack it once, before "
            "the ranks read, or pack what each node needs by itself. Where the file is only copied, let several ranks "
            "copy a part each.",
            Citation("archer2-io", "File-per-node (FPN)"),
        )
    return in_program(
        "What is packed into one file is one stream, of which no rank can write a part: let each rank, or one of each "
        "node, write a file of its own, or pack them after the run.",
        Citation("archer2-io", "File-per-node (FPN)"),
    )


def write_from_all_ranks(context: Context, text: str, path: str | None, citation: Citation) -> Advice:
    """Advice to have all ranks write their parts of the file at `path`, which one writes now."""
    if _of_each_node(context, context.word("balance.alone_mount")):
        return _among_ranks_of_a_node(reads=False)
    packed = _of_one_stream(path, reads=False)
    if packed is not None:
        return packed
    if _is_of_pytorch(path):
        return advice(f"{text} PyTorch's distributed checkpoint does that.", SAVE_FROM_ALL_RANKS, citation=PYTORCH)
    if through_mpi_io(context):
        return advice(text, COLLECTIVE[library_of(context)], citation=citation)
    named = library_named(path)
    if named is None:
        return advice(text, SHARED_WRITE, citation=citation)
    return advice(f"{text} {named} built with MPI opens it with all of them.", PARALLEL_WRITE[named], citation=citation)


def write_in_parallel(context: Context, path: str | None) -> Advice:
    """Advice to have all ranks write the file at `path` together, which one writes now."""
    if through_mpi_io(context):
        return make_collective(context)
    if _of_each_node(context, context.word("balance.alone_mount")):
        return _among_ranks_of_a_node(reads=False)
    packed = _of_one_stream(path, reads=False)
    if packed is not None:
        return packed
    if _is_of_pytorch(path):
        text = "Let all ranks save their part, instead of gathering on one rank: PyTorch's distributed checkpoint does."
        return advice(text, SAVE_FROM_ALL_RANKS, citation=PYTORCH)
    named = library_named(path)
    return advice(
        "Let all ranks write their part of one file with collective calls, instead of gathering on one rank"
        + (f": {named} built with MPI opens it with all of them." if named else "."),
        PARALLEL_WRITE[named] if named else SHARED_WRITE,
        citation=Citation("archer2-io", "Single Shared File with collective writes (SSF)"),
    )


def write_file_per_node(context: Context, citation: Citation) -> Advice:
    """A file for each node, between one for all and one for each rank; of a library that lays out the files, its own
    number."""
    of_library = fewer_files(context.file, citation)
    if of_library:
        return of_library[0]
    text = "Write one file per node, with collective calls among the ranks of the node."
    return advice(text, NODE_FILE, citation=citation)


def aggregate_on_every_node(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """ROMIO's hints for one aggregator a node, for file systems without stripes to go by, in the directions that there
    are."""
    ways = (way for way, done in (("write", "written"), ("read", "read")) if context.number(f"io.bytes_{done}") != 0)
    buffered = ((f"romio_cb_{way}", "enable") for way in ways)
    return hints(context, "Let one rank of every node aggregate.", citation, ("cb_config_list", "*:1"), *buffered)


def collect_by_node(citation: Citation, opening: str = "Or collect") -> Advice:
    """Gather on one rank of every node before the collective call: fewer ranks take part in the exchange."""
    text = f"{opening} the data of each node on one of its ranks first, so that fewer ranks take part in the call."
    return advice(text, GATHER_ON_NODE, citation=citation)


def site_environment(context: Context) -> tuple[Advice, ...]:
    """The lines that the site's documents recommend for collective calls on a shared file, and for what is done with
    these files."""
    given = context.site.environment_for("shared-collective", context.file_system)
    return tuple(_of_the_site(e) for e in given if _is_for(e, context))


def _is_for(given: EnvironmentAdvice, context: Context) -> bool:
    """Unless it is for what passes between nodes, of which there is one, or for what is not done."""
    if given.several_nodes and context.number("job.nnodes") == 1:
        return False
    done = {"read": "io.bytes_read", "write": "io.bytes_written"}
    return given.direction is None or context.number(done[given.direction]) != 0


def _of_the_site(given: EnvironmentAdvice) -> Advice:
    actions = [action for line in given.lines for action in _set_by(line)]
    return advice(given.text, *actions, citation=Citation(given.source.document, given.source.place))


def _set_by(line: str) -> tuple[Action, ...]:
    """A line of a site's profile: a variable that it sets, hints, a module, or what it is."""
    found = _EXPORTED.fullmatch(line)
    if found is None:
        match line.split():
            case ["module", "load", module]:
                return (ModuleLoad(module),)
            case ["module", "swap", of_now, module]:
                return (ModuleSwap(module, of_now),)
            case _:
                return (SiteLines((line,)),)
    if found["name"] != HINT_VARIABLE:
        return (Export(found["name"], found["value"]),)
    by_pattern: dict[str, list[MpiioHint]] = {}
    for one in patterns_of(found["value"]):
        by_pattern.setdefault(one.pattern or "*", []).append(MpiioHint(one.key, one.value))
    (first, wanted), *others = by_pattern.items()
    return (SetHint(first, tuple(wanted), None, tuple(FileHint(p, h.key, h.value) for p, hs in others for h in hs)),)


def even_out(context: Context, layer: str | None, citation: Citation, *, of: str = "") -> tuple[Advice, ...]:
    """Where one rank has far more to do than the others, and `of` what: even parts, or those that the library makes."""
    text = f"Give every rank the same amount{of} to read and write"
    if context.word("io.pattern") == "file-per-process":
        text += ". Where the ranks take tasks one after the other, begin with the largest, or divide it."
        return (in_program(text, citation=citation),)
    # No library shares out what goes through buffered streams, nor what lies on disks of several nodes.
    if layer == "STDIO" or _of_each_node(context, context.word("file.mount_type")):
        return (in_program(f"{text}.", citation=citation),)
    text += ", or let the library spread uneven parts."
    return (in_program(text, citation=citation), make_collective(context))


def hints(context: Context, text: str, citation: Citation, *pairs: tuple[str, str]) -> tuple[Advice, ...]:
    """MPI-IO hints: in the job script where Cray MPICH may be in use, and in the program where another MPI library may.
    None for files that no MPI-IO call opens."""
    if context.api in ("POSIX", "STDIO"):
        return ()
    pattern, wanted = file_pattern(context), tuple(MpiioHint(key, value) for key, value in pairs)
    passed = SetHint(pattern, wanted, through=library_of(context), only_read=mostly_reads(context))
    library = context.word("mpi.library") or context.site.mpi_library
    if library == "openmpi":
        return (advice(text, passed, citation=citation, lead=_WITH_ROMIO),)
    if not context.maybe_on_lustre or library not in (None, CRAY_MPICH):
        natively = library == "intel-mpi" and context.file_system in ("lustre", "gpfs")
        return (advice(text, passed, citation=citation, lead=_NATIVELY if natively else "When the file is opened:"),)
    return (
        advice(text, SetHint(pattern, wanted), citation=citation, lead="With Cray MPICH, in the job script:"),
        advice(
            "",
            replace(passed, without_cray=True),
            citation=citation,
            lead="With another MPI library, when the file is opened:",
        ),
    )


THEN_BUFFERED = "Once the calls are collective, switch collective buffering on (it does nothing for others)"
"""What begins the advice of a hint that changes nothing of the calls as they are."""


def buffer_small(context: Context, opening: str, ways: Sequence[str]) -> tuple[Advice, ...]:
    """Collective buffering of the directions whose pieces are small; of both where no counter tells."""
    given = ((f"romio_cb_{way}", "enable") for way in ways or ("write", "read"))
    text = f"{opening}: it turns small pieces into large contiguous blocks."
    return hints(context, text, Citation("theta-io", "Cray MPI-IO Overview"), *given)


_WITH_ROMIO = (
    "When the file is opened, with OMPI_MCA_io=^ompio in the environment: OMPIO, which Open MPI uses on most file "
    "systems, passes over these hints."
)


_NATIVELY = (
    "When the file is opened, with I_MPI_EXTRA_FILESYSTEM=on in the environment: without it Intel MPI takes every file "
    "system for a plain one."
)


def file_pattern(context: Context) -> str:
    """The files' names as MPICH_MPIIO_HINTS takes them, runs of digits as `*` but in the ending that names the format;
    `*` alone where a name could break out of the hint string, or they have nothing in common."""
    if context.ending is not None:
        return f"*{context.ending}" if _SAFE_NAME.fullmatch(context.ending) else "*"
    name = "" if context.file is None else context.file.rsplit("/", 1)[-1]
    if not _SAFE_NAME.fullmatch(name):
        return "*"
    format_of_name = _FORMAT_ENDING.search(name)
    ending = "" if format_of_name is None else format_of_name.group()
    return re.sub(r"\*+", "*", "*" + re.sub(r"[0-9]+", "*", name.removesuffix(ending)) + ending)


def reads_or_writes(context: Context) -> str:
    """What is done with the files of the context, as a verb."""
    read, written = context.number("io.bytes_read"), context.number("io.bytes_written")
    if written and not read:
        return "writes"
    return "reads" if read and not written else "reads and writes"


def of_ranks_phrase(ranks: float | None) -> str:
    """ " of 496", to stand behind a number of ranks; nothing where there are no others, or nobody knows how many."""
    return "" if ranks is None else f" of {number(ranks)}"


def mostly_reads(context: Context, *, times: float = 1.0) -> bool:
    """Whether more bytes are read than written, or so many times as many."""
    return (context.number("io.bytes_read") or 0.0) > times * (context.number("io.bytes_written") or 0.0)


def largest_file_phrase(context: Context) -> str:
    """What the words call the largest file of the scope."""
    several = (context.files or 1) > 1
    return f"The largest of {these_files(context)}" if several else these_files(context)


def stripe_count_sentence(context: Context) -> str | None:
    """ "The file has 4 stripes": of several, the largest."""
    which = "The largest file" if (context.files or 1) > 1 else "The file"
    return formatted(context.number("file.stripe_count"), lambda n: f"{which} has {plural(n, 'stripe')}")


def at_least(context: Context, metric: str) -> str:
    """What stands before a number that is a lower bound, as where statistics count calls of which some may be large."""
    found = context.metrics.get(metric)
    return "at least " if found is not None and found.bound == "lower" else ""


def largest_size_phrase(context: Context) -> str | None:
    """How large the largest file of the scope is, or is at least."""
    return formatted(context.number("file.size"), lambda n: f"{at_least(context, 'file.size')}{size(n)}")


def each_moves(context: Context, sizes: str) -> str | None:
    """What an access moves, by a pair of metrics as `posix.{}_write_size`: as much as nearly all do, or where these
    differ in size, what they do on average."""
    typical, average = (context.number(sizes.format(which)) for which in ("typical", "average"))
    each = average if typical is None else typical
    if each is None:
        return None
    return f"{size(each)} on average" if each == average else f"mostly {size(each)}"


def these_files(context: Context) -> str:
    """What the words call the files of the scope."""
    return printable(context.label)
