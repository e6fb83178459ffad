"""Advice about striping: given only where the files are, or may be, on Lustre, and with the job's own directory. Where
it is withheld, it says why."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from posixpath import normpath

from iotriage.metrics.core.selection import base_name
from iotriage.metrics.tables.files.names import stands_for_name
from iotriage.metrics.tables.layouts import ALL_OSTS
from iotriage.rules.advice.calls import largest_size_phrase
from iotriage.rules.core import Advice, Citation, Context, advice, withheld
from iotriage.rules.core.action import Action, FillIn, KeptOption, Named, Place, RunCommand, SetStripe
from iotriage.rules.core.words import chosen_size, directory_of, number, osts_phrase, plural, printable, stripes_phrase
from iotriage.sites.site import FILE_SYSTEM_NAMES, StripeRule

_GIB = 2**30

OUTPUT_DIRECTORY = FillIn("OUTPUT_DIRECTORY", "the directory in which the job writes")
NEW_DIRECTORY = FillIn("NEW_DIRECTORY", "a directory that is not there yet")
_FOLDER = FillIn("FOLDER", "the folder of the files")
_OWN_DIRECTORY = FillIn("OWN_DIRECTORY", "a new directory for these files")
_SHARED_DIRECTORY = FillIn("SHARED_DIRECTORY", "a new directory for the shared file")

DEFAULT_COUNT = 1
DEFAULT_SIZE_BYTES = 2**20
"""Lustre's default where the directory sets no other (lfs-setstripe(1))."""

_NERSC_STRIPES = ((1, 1), (10, 8), (100, 24), (inf, 72))
"""The number of stripes for files of up to so many GiB: NERSC's groups default, small, medium and large."""

FOR_FEW_RANKS, MANY_RANKS = 4, 96
"""The number of stripes that was best for a file shared by few processes, and the number of processes from which they
are many (archer-bpg, Single Shared File, MPI-IO)."""

FILE_OF_SERIES_BYTES = 2**28
"""From which the stripes of a file decide where it is one of a series that moves much. One OST takes half a second for
it; below, opening the file takes as long."""

MANY_OWN_FILES = 128
"""Files of single ranks, from which many stripes for each of them cost more than those of a shared file beside them
give."""

_AFTER = (
    "Set it before the files are made: a file keeps the striping it was created with, even when it is rewritten; "
    "remove the file first, or copy it."
)
_BACK = " To go back later: lfs setstripe -d, or what lfs getstripe -d shows of the directory now."
"""lfs-setstripe(1), --delete: new files then have the layout of the directory above, or the file system's default."""
_REPLACES = (
    " It takes the place of the progressive layout that files there have now, for small files too: where the job "
    "writes others there, give the large ones a directory of their own."
)
_COPY = "The run only read these files, so they are there already and keep their striping: copy them."


@dataclass(frozen=True, slots=True, kw_only=True)
class Stripes:
    """The layout that advice asks for; None leaves a value as it is."""

    count: int | None = None
    size_bytes: int | None = None
    pool: str | None = None
    first_ost: int | None = None


def stripe_shared_file(context: Context) -> tuple[Advice, ...]:
    """Stripe a large shared file over more OSTs; withheld where it lies on all there are."""
    lies_on, there_are = context.number("file.stripe_count"), context.number("file.stripes_possible")
    if lies_on is not None and there_are is not None and lies_on >= there_are:
        return (withheld("more stripes", f"the file lies on all {plural(there_are, 'OST')} that there are"),)
    documented = _documented_count(context)
    of_site = context.site.stripe_rule(context.file, context.number("file.size") or 0.0)
    if of_site is not None:
        return _as_the_site_has_it(context, of_site, lies_on)
    if documented is not None:
        citation = _site_source(context)
        count = documented if context.site.stripes_of_few_ranks is not None else _on_nodes(context, documented)
        why = f"The documents of {context.site.title} ask for this on a shared file."
    else:
        count, citation = stripes_for(context), Citation("nersc-lustre", "NERSC File Striping Recommendations")
        why = "The number grows with the size of the file, up to the OSTs and ranks, and beyond four up to the nodes."
        if count < 0:
            why = "No source says how many there are, and a file of this size deserves more than this run's files show."
        elif of_series(context) and count == FOR_FEW_RANKS:
            citation, why = (
                Citation("archer-bpg", "Single Shared File (SSF), MPI-IO"),
                "For files of less than 1 GiB four are enough.",
            )
        elif _few_ranks(context) and count == FOR_FEW_RANKS:
            citation, why = (
                Citation("archer-bpg", "Single Shared File (SSF), MPI-IO"),
                f"Below {MANY_RANKS} ranks four were best.",
            )
    if may_stripe(context) and 0 < count <= max(lies_on or 1, 1):
        enough = plural(count, "stripe")
        return (
            withheld("more stripes", f"no more than {enough} can be asked for a file of this size and these ranks"),
        )
    text = f"stripe the directory of the shared file over {osts_phrase(count)}. {why}"
    return _setstripe(context, Stripes(count=count), text, citation)


def _documented_count(context: Context) -> int | None:
    """What the site's documents ask for on a shared file, of so many ranks."""
    of_few, ranks = context.site.stripes_of_few_ranks, context.number("job.nprocs")
    few = of_few is not None and ranks is not None and ranks < of_few.below_ranks
    return of_few.stripe_count if of_few is not None and few else context.site.shared_file_stripe_count


def _on_nodes(context: Context, stripes: int) -> int:
    """No more stripes than nodes, where a number is asked for and the nodes are known (theta-io, General Striping
    approaches); but four, which were best for the ranks of one node too."""
    nodes = context.number("job.nnodes")
    return stripes if stripes < 0 or nodes is None else min(stripes, max(int(nodes), FOR_FEW_RANKS))


def _as_the_site_has_it(context: Context, rule: StripeRule, lies_on: float | None) -> tuple[Advice, ...]:
    """The stripes that the site's documents give to a shared file of this size. They speak where the site asks its
    users not to stripe other files by hand, too."""
    if lies_on is not None and 0 < rule.stripe_count <= lies_on:
        reason = f"the documents of {context.site.title} give no more to a file of this size"
        return (withheld("more stripes", reason),)
    layout = Stripes(count=rule.stripe_count, size_bytes=rule.stripe_size_bytes, pool=rule.pool)
    text = f"stripe the directory of the shared file over {osts_phrase(rule.stripe_count)}. "
    why = f"The documents of {context.site.title} give this to a shared file of its size."
    return _setstripe(context, layout, text + why, Citation(rule.source.document, rule.source.place), asked=True)


def stripe_single(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """One stripe for each of many files; in a directory of their own where a large shared file lies beside them."""
    beside = context.word("file.shared_beside")
    if beside is not None and may_stripe(context) and _manual(context) != "discouraged":
        keeps = f"{printable(base_name(beside))} lies beside them and is to keep its stripes."
        text = f"Give these files a directory of their own, in which every file has one stripe: {keeps} {_AFTER}"
        return (advice(text, set_stripe(context, _OWN_DIRECTORY, Stripes(count=1), new=True), citation=citation),)
    return _setstripe(context, Stripes(count=1), "give every file of the directory one stripe.", citation)


def stripe_for_several(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """A few stripes for large files that one process moves, before several do."""
    text = (
        f"give the large files of the directory {plural(FOR_FEW_RANKS, 'stripe')}: on one OST several processes meet."
    )
    # Of a job the files that most bytes were moved in may be many small ones in another directory.
    several = directory_of(context.word("file.largest")) not in (None, directory_of(context.file))
    if were_there(context):
        several |= (context.number("io.bytes") or 0.0) > SEVERAL_FILES * (context.number("file.size") or inf)
    return _setstripe(context, Stripes(count=FOR_FEW_RANKS), text, citation, of_each=several)


SEVERAL_FILES = 2
"""Bytes moved for each of the largest file, from which others have about as many: it alone need not be copied."""


def stripe_over_fewer(context: Context, count: int, why: str, citation: Citation) -> tuple[Advice, ...]:
    """Fewer stripes for a shared file than it has."""
    text = f"stripe the directory of the shared file over {plural(count, 'OST')}. {why}"
    return _setstripe(context, Stripes(count=count), text, citation)


def leave_first_ost(context: Context, citation: Citation, *, apart: bool = False) -> tuple[Advice, ...]:
    """Let Lustre choose the OSTs of new files, the stripe count as it is; `apart` where they have no directory in
    common, and it is to be set for each of theirs."""
    each = ", in each directory in which they lie" if apart else ""
    text = f"leave the choice of the first OST to Lustre: index -1{each}."
    return _setstripe(context, Stripes(first_ost=-1), text, citation, of_each=apart)


def may_stripe(context: Context) -> bool:
    """Whether to speak of striping: the files are on Lustre, or their file system is not known, and the site does not
    exclude it."""
    return why_not_striped(context) is None


def why_not_striped(context: Context) -> str | None:
    """Why the files cannot be striped; None where they can, or where their file system is not known."""
    if not context.maybe_on_lustre:
        return f"lfs sets stripes on Lustre alone, and the files are on {FILE_SYSTEM_NAMES[context.file_system]}"
    if _manual(context) == "impossible":
        return f"{context.site.title} has no striping to set on this file system"
    return None


def stripes_for(context: Context) -> int:
    """A stripe count for the largest file of the scope: NERSC's count for its size, at most one stripe a rank (or node,
    where known; theta-io, General striping approaches; but four, which were best for the ranks of one node too), four
    for few ranks and for smaller files of a series, no more than there are OSTs (for each of the files that are in use
    at a time), and no more than the site asks its users to set. Where nobody says how many OSTs there are, no more than
    the job's files show, or all OSTs where these are few beside what is wanted."""
    bytes_of_file = _size_of_file(context)
    wanted = next(count for limit, count in _NERSC_STRIPES if bytes_of_file < limit * _GIB)
    wanted = max(wanted, FOR_FEW_RANKS) if of_series(context) else wanted
    limits = [context.number(m) for m in ("job.nprocs", "file.stripes_possible")]
    nodes = context.number("job.nnodes")
    limits += [] if nodes is None else [max(nodes, FOR_FEW_RANKS)]
    known = context.site.file_system_of(context.file) if context.file is not None else None
    limits += [FOR_FEW_RANKS] if _few_ranks(context) else []
    limits += [known.osts, known.most_stripes] if known is not None else []
    there_are, at_once = context.number("file.stripes_possible"), files_at_once(context)
    there_are = context.number("file.osts_seen") if there_are is None else there_are
    limits += [there_are / at_once] if there_are is not None and at_once >= _SEVERAL_AT_ONCE else []
    count = max(1, int(min([wanted, *(n for n in limits if n is not None)])))
    seen = _osts_seen(context)
    if seen is None or count <= seen:
        return count
    return seen if seen >= count / 2 and seen > (context.number("file.stripe_count") or 1) else ALL_OSTS


def _size_of_file(context: Context) -> float:
    """What collective calls read, they read once for all ranks: where nothing else says how large the file is."""
    known = context.number("file.size")
    if known is None and context.word("io.pattern") == "shared-collective":
        known = context.number("file.mean_bytes")
    return known or 0.0


_SEVERAL_AT_ONCE = 2.0
"""Number of files in use at a time from which they are taken to share the available OSTs."""


def files_at_once(context: Context) -> float:
    """How many of the files like the largest are in use at a time, by their stripes; 1 where nobody says, and where
    one rank moves them, which does so one after the other."""
    if context.number("balance.movers") == 1:
        return 1.0
    stripes, each = context.number("file.stripes_at_once"), context.number("file.stripe_count")
    return stripes / each if stripes and each else 1.0


def _osts_seen(context: Context) -> int | None:
    """The OSTs that the job's files show, and four at least, which any file system may be trusted to have; None where
    somebody says how many there are, or no file shows any."""
    known = context.site.file_system_of(context.file) if context.file is not None else None
    if context.number("file.stripes_possible") is not None or (known is not None and known.osts is not None):
        return None
    seen = context.number("file.osts_seen")
    return None if seen is None else max(int(seen), FOR_FEW_RANKS)


def of_series(context: Context) -> bool:
    """Whether the largest file is too small for several stripes by itself, and one of a series that moves much."""
    bytes_of_file = context.number("file.size") or 0.0
    return (context.files or 1) > 1 and FILE_OF_SERIES_BYTES <= bytes_of_file < _NERSC_STRIPES[0][0] * _GIB


def _few_ranks(context: Context) -> bool:
    ranks = context.number("job.nprocs")
    return ranks is not None and ranks < MANY_RANKS


def stripes_advised(context: Context) -> float:
    """The OSTs that `stripe_shared_file` would spread the largest file over: the site's number, where its documents
    have one, else `stripes_for`."""
    of_site = context.site.stripe_rule(context.file, context.number("file.size") or 0.0)
    count = _documented_count(context) if of_site is None else of_site.stripe_count
    if count is None:
        count = stripes_for(context)
    if count > 0:
        return count
    return context.number("file.stripes_possible") or _osts_seen(context) or max(1, stripes_for(context))


def stripe_size_or_default(has: float | None) -> int:
    """The stripe size in bytes where no advice asks for another: that of the files; the default instead of small
    stripes, which HPE's manual advises against and which more OSTs would make worse."""
    return max(int(has or 0), DEFAULT_SIZE_BYTES)


def lengthen_stripes(context: Context, wanted: Stripes, text: str, citation: Citation) -> Advice:
    """Longer stripes for what is written, or for a copy of files that were there."""
    said = f"{text}{default_sentence(context, wanted)}"
    if were_there(context):
        return advice(f"{said} {_COPY}{_space(context, of_each=False)}", *_copy(context, wanted), citation=citation)
    larger = set_stripe(context, output_directory(context), wanted)
    return advice(f"{said}{own_directory_sentence(context)}", larger, citation=citation)


def set_stripe(context: Context, directory: Place, wanted: Stripes, *, new: bool = False) -> SetStripe:
    """The complete layout: what is asked for; for the rest, what the job's files have, their pool included, or Lustre's
    defaults where that is not known."""
    has_count, has_size = context.number("file.stripe_count"), context.number("file.stripe_size")
    count = wanted.count if wanted.count is not None else int(has_count or DEFAULT_COUNT)
    size_bytes = wanted.size_bytes or stripe_size_or_default(has_size)
    kept: list[KeptOption] = []
    if wanted.count is None:
        kept.append("count")
    if not wanted.size_bytes:
        kept.append("size")
    pool = wanted.pool or context.word("file.pool")
    return SetStripe(directory, count, size_bytes, pool, wanted.first_ost, tuple(kept), new)


def _setstripe(
    context: Context,
    wanted: Stripes,
    text: str,
    citation: Citation | None,
    *,
    asked: bool = False,
    of_each: bool = False,
) -> tuple[Advice, ...]:
    """`asked`: the site's own documents ask for it, also where it discourages other striping by hand. `of_each`: there
    are several directories, of which one does not stand for all."""
    reason = why_not_striped(context)
    if reason is not None:
        return (withheld("striping", reason),)
    if _manual(context) == "discouraged" and not asked:
        support = f"The site asks its users not to stripe by hand; ask its support before you {text}"
        return (advice(support, citation=citation),)
    asked_before = None if were_there(context) else _already_requested(context, wanted, citation)
    if asked_before is not None:
        return (asked_before,)
    # Files whose OSTs are listed are on Lustre, whatever nobody says of their mount.
    listed = context.number("file.first_ost") is not None
    opening = "If these files are on Lustre, " if context.file_system == "unknown" and not listed else ""
    there, beside = were_there(context), context.number("file.own_beside") or 0.0
    apart = not there and beside >= MANY_OWN_FILES and wanted.count not in (None, 1)
    place: Place = _SHARED_DIRECTORY if apart else OUTPUT_DIRECTORY if of_each else output_directory(context)
    said = f"{opening}{text}{default_sentence(context, wanted)}"
    if not there and not apart and in_several_directories(context):
        said += " Directories that are made below it take it over, and those that are there keep what they have."
    if apart:
        said += f" Give it a directory of its own: {number(beside)} files of single ranks lie beside it now."
    elif not there and not of_each:
        said += own_directory_sentence(context)
    if not there and not apart and context.word("file.layout") == "progressive":
        said += _REPLACES
    in_script, has = context.number("file.stripes_asked"), context.number("file.stripe_count")
    if in_script is not None and in_script == has and wanted.count is not None:
        said += f" The job script asks for {plural(in_script, 'stripe')} there: change that line."
    steps = _copy(context, wanted, of_each=of_each) if there else (set_stripe(context, place, wanted, new=apart),)
    when = f"{_COPY}{_space(context, of_each=of_each)}" if there else _AFTER
    if not there and not apart:
        when += _BACK
    return (advice(f"{said[0].upper()}{said[1:]} {when}", *steps, citation=citation),)


_REQUESTED = (
    ("file.stripes_hinted", "A hint (striping_factor) asks for {} already", "it was made before"),
    (
        "file.stripes_asked",
        "The job script asks for {} there already",
        "it, or its directory, was made before, or a hint (striping_factor) has the last word",
    ),
    (
        "file.stripes_of_directory",
        "Its directory gives {} to new files already",
        "it was made before, or a hint (striping_factor) has the last word",
    ),
)
"""Who asks for stripes, the last word first: how that is said, and why the file may not have them."""


def _already_requested(context: Context, wanted: Stripes, citation: Citation | None) -> Advice | None:
    """What to do where somebody asks for what is wished, or goes as far that way, and the file has it not. A hint that
    asks for something else has the last word over the others."""
    has = context.number("file.stripe_count")
    found = next(((context.number(m), said, why) for m, said, why in _REQUESTED if context.number(m) is not None), None)
    if found is None or not has or wanted.count is None or wanted.count == has:
        return None
    asked, said, why = found
    more = wanted.count < 0 or wanted.count > has
    if asked is None or not (
        asked == wanted.count or (more and (asked < 0 or asked > has)) or (not more and 0 < asked < has)
    ):
        return None
    stripes = said.format(stripes_phrase(asked))
    return advice(
        f"{stripes}, and the file has {plural(has, 'stripe')}: {why}. A file keeps the striping it was created with: "
        "remove it before the run, or write under another name.",
        citation=citation,
    )


def default_sentence(context: Context, wanted: Stripes) -> str:
    """Which numbers of the line are Lustre's defaults: neither the advice nor the evidence has them, or what
    the evidence has is for nobody to set."""
    without = []
    if wanted.count is None and not context.number("file.stripe_count"):
        without.append("one stripe")
    if not wanted.size_bytes and not context.number("file.stripe_size"):
        without.append("stripes of 1 MiB")
    if without:
        return f" Lustre's default stands for what is not known here: {' and '.join(without)}."
    has = context.number("file.stripe_size")
    if not wanted.size_bytes and has and has < DEFAULT_SIZE_BYTES:
        return f" Its stripes become 1 MiB long instead of {chosen_size(has)}: HPE's manual avoids shorter ones."
    return ""


def were_there(context: Context) -> bool:
    """Whether the files were made before the run: it read them and wrote nothing; or of a whole job the largest, which
    holds far more than the job wrote."""
    read, written = context.number("io.bytes_read") or 0.0, context.number("io.bytes_written") or 0.0
    largest = 0.0 if context.files is not None else context.number("file.size") or 0.0
    return read > 0 and (written == 0 or (written <= LITTLE * read and written <= LITTLE * largest))


LITTLE = 0.1
"""Bytes written for each byte read, and for each of the largest file, up to which a job wrote others."""


def _copy(context: Context, wanted: Stripes, *, of_each: bool = False) -> tuple[Action, ...]:
    """A new directory with the striping, and the files copied there: one, in its own directory, where the job may
    write; or all of the directory's, unless others have theirs in it, or there are several."""
    directory = None if of_each else _directory(context)
    new: Place = NEW_DIRECTORY
    files: tuple[str | Place, ...] = ("-r", _FOLDER)
    alone = _alone(context, of_each=of_each)
    if alone is not None:
        new, files = new if directory is None else Named(f"{directory}/striped"), (Named(alone),)
    elif directory is not None and context.file is not None and not others_may_use(context):
        new, files = Named(f"{directory}.striped"), ("-r", Named(f"{directory}/."))
    return (set_stripe(context, new, wanted, new=True), RunCommand(("cp", *files, new)))


def _alone(context: Context, *, of_each: bool) -> str | None:
    """The path of the file, where it is the only one to copy; None where its name is only a number that replaces it."""
    path = context.file
    if path is None or "/" not in path or stands_for_name(base_name(path)):
        return None
    return path if not of_each and (context.files or 1) == 1 else None


def _space(context: Context, *, of_each: bool) -> str:
    """What the copy of one file takes, until the first one is removed."""
    needs = None if _alone(context, of_each=of_each) is None else largest_size_phrase(context)
    return "" if needs is None else f" The copy takes {needs} more space there."


def _manual(context: Context) -> str:
    known = context.site.file_system_of(context.file) if context.file is not None else None
    return known.manual_striping if known is not None else "yes"


def _site_source(context: Context) -> Citation | None:
    """Where the site's documents ask for that many stripes: beside the threshold, else beside its file systems, that of
    the files first."""
    site = context.site
    known = site.file_system_of(context.file) if context.file is not None else None
    sources = [t.source for t in site.thresholds if t.threshold == "ssf-understriped.stripes"]
    sources += [fs.source for fs in (known, *site.file_systems) if fs is not None and fs.source is not None]
    return Citation(sources[0].document, sources[0].place) if sources else None


def output_directory(context: Context) -> Place:
    """The directory below which all files of the scope lie, or that of the largest where no source says; where there is
    none of the job's own to name, a variable to fill in."""
    return OUTPUT_DIRECTORY if others_may_use(context) else directory_as_it_is(context)


def directory_as_it_is(context: Context) -> Place:
    """The directory of the files, to look at, whoever else has files there."""
    directory = _directory(context)
    return OUTPUT_DIRECTORY if directory is None else Named(directory)


def others_may_use(context: Context) -> bool:
    """Whether that directory is a mount point, or a whole project's: what is set there is set for the new files of
    others too."""
    directory = _directory(context)
    names = set() if directory is None else {directory, normpath(directory)}
    return any(name == context.mount or context.site.is_of_a_project(name) for name in names)


def own_directory_sentence(context: Context) -> str:
    """To stand behind what is to be set for a directory, where others may have theirs in it."""
    directory = _directory(context)
    if directory is None or not others_may_use(context):
        return ""
    return (
        f" Make a directory of the job's own for it: what is set for {printable(directory)} holds for what others make "
        "there, too."
    )


def _directory(context: Context) -> str | None:
    """None where it is the one that the job was started in, and others of it lie there too."""
    above = context.word("file.directory")
    if above is None:
        return directory_of(context.file)
    return None if above == context.word("job.work_directory") else above


def in_several_directories(context: Context) -> bool:
    """Whether the files lie in several directories below that one."""
    above, own = context.word("file.directory"), directory_of(context.file)
    return above is not None and own is not None and above != own
