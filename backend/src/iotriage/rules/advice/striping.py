"""What to type about striping: only where the files are, or may be, on Lustre, and with the job's own directory; where
the advice is withheld, why."""

from __future__ import annotations

from math import inf

from iotriage.rules.core.rule import Advice, Citation, Context, withheld
from iotriage.rules.core.words import counted, directory_of, output_directory, shell_word
from iotriage.sites.site import FileSystemKind, StripeRule

_GIB = 2**30

_NERSC_STRIPES = ((1, 1), (10, 8), (100, 24), (inf, 72))
"""Up to so many GiB, so many stripes: NERSC's groups default, small, medium and large."""

_AFTER = (
    "Set it before the files are made: a file keeps the striping it was created with, also when it is written again; "
    "remove it first, or copy it."
)
_COPY = "The run only read these files, so they are there already and keep their striping: copy them."

_STRIPELESS: dict[FileSystemKind, str] = {
    "gpfs": "GPFS",
    "vast": "VAST",
    "weka": "WEKA",
    "beegfs": "BeeGFS",
    "daos": "DAOS",
    "nfs": "NFS",
    "local": "a local file system",
}


def stripe_shared_file(context: Context) -> tuple[Advice, ...]:
    """Stripe a large shared file over more OSTs; withheld where it lies on all there are."""
    lies_on, there_are = context.number("file.stripe_count"), context.number("file.stripes_possible")
    if lies_on is not None and there_are is not None and lies_on >= there_are:
        return (withheld("more stripes", f"the file lies on all {counted(there_are, 'OST')} that there are"),)
    documented = context.site.shared_file_stripe_count
    of_site = context.site.stripe_rule(context.file, context.number("file.size") or 0.0)
    if of_site is not None:
        return _as_the_site_has_it(context, of_site, lies_on)
    if documented is not None:
        source = _site_source(context) or Citation("archer2-io", "Single Shared File")
        count = _on_nodes(context, documented)
        why = f"The documents of {context.site.title} ask for this on a shared file."
    else:
        count, source = stripes_for(context), Citation("nersc-lustre", "Striping by file size")
        why = "The number grows with the size of the file, and is never above the ranks, nodes or OSTs there are."
    over = "all OSTs" if count < 0 else counted(count, "OST")
    return _setstripe(context, f"-c {count}", f"stripe the directory of the shared file over {over}. {why}", source)


def _on_nodes(context: Context, stripes: int) -> int:
    """No more stripes than nodes, where a number is asked for and the nodes are known (theta-io, General Striping
    approaches)."""
    nodes = context.number("job.nnodes")
    return stripes if stripes < 0 or nodes is None else max(1, min(stripes, int(nodes)))


def _as_the_site_has_it(context: Context, rule: StripeRule, lies_on: float | None) -> tuple[Advice, ...]:
    """The stripes that the site's documents give to a shared file of this size. They speak where the site asks its
    users not to stripe other files by hand, too."""
    if lies_on is not None and 0 < rule.stripe_count <= lies_on:
        reason = f"the documents of {context.site.title} give no more to a file of this size"
        return (withheld("more stripes", reason),)
    options = f"-c {rule.stripe_count}"
    options += f" -S {rule.stripe_size_bytes // 2**20}M" if rule.stripe_size_bytes else ""
    options += f" -p {rule.pool}" if rule.pool else ""
    text = f"stripe the directory of the shared file over {counted(rule.stripe_count, 'OST')}. "
    why = f"The documents of {context.site.title} give this to a shared file of its size."
    return _setstripe(context, options, text + why, Citation(rule.source.document, rule.source.section), asked=True)


def stripe_single(context: Context, source: Citation) -> tuple[Advice, ...]:
    """One stripe a file, for many files."""
    return _setstripe(context, "-c 1", "give every file of the directory one stripe.", source)


def leave_first_ost(context: Context, source: Citation) -> tuple[Advice, ...]:
    """Let Lustre choose the OSTs of new files, the stripe count as it is."""
    stripes = context.number("file.stripe_count")
    options = "-i -1" if stripes is None else f"-c {int(stripes)} -i -1"
    return _setstripe(context, options, "leave the choice of the first OST to Lustre: index -1.", source)


def may_stripe(context: Context) -> bool:
    """Whether striping can be spoken of: Lustre, or a file system that is not known, and not ruled out by the site."""
    return why_not_striped(context) is None


def why_not_striped(context: Context) -> str | None:
    """Why the files cannot be striped; None where they can, or where their file system is not known."""
    if context.file_system not in ("lustre", "unknown"):
        return f"these files are on {_STRIPELESS[context.file_system]}, where nobody stripes files by hand"
    if _manual(context) == "impossible":
        return f"{context.site.title} has no striping to set on this file system"
    return None


def stripes_for(context: Context) -> int:
    """A stripe count for the largest file of the scope: NERSC's count for its size, at most one stripe a rank (or
    node, where known; theta-io, General striping approaches), no more than there are OSTs, and no more than the site
    asks its users to set."""
    bytes_of_file = context.number("file.size") or 0.0
    wanted = next(count for limit, count in _NERSC_STRIPES if bytes_of_file < limit * _GIB)
    limits = [context.number(m) for m in ("job.nprocs", "job.nnodes", "file.stripes_possible")]
    known = context.site.file_system_of(context.file) if context.file is not None else None
    limits += [known.osts, known.most_stripes] if known is not None else []
    return max(1, int(min([wanted, *(n for n in limits if n is not None)])))


def stripes_advised(context: Context) -> float:
    """The OSTs that `stripe_shared_file` would spread the largest file over: the site's number, where its documents
    have one, else `stripes_for`."""
    of_site = context.site.stripe_rule(context.file, context.number("file.size") or 0.0)
    count = context.site.shared_file_stripe_count if of_site is None else of_site.stripe_count
    if count is None:
        return stripes_for(context)
    return count if count > 0 else context.number("file.stripes_possible") or stripes_for(context)


def _setstripe(
    context: Context, options: str, text: str, source: Citation, *, asked: bool = False
) -> tuple[Advice, ...]:
    """`asked`: the site's own documents ask for it, also where it discourages other striping by hand."""
    reason = why_not_striped(context)
    if reason is not None:
        return (withheld("striping", reason),)
    if _manual(context) == "discouraged" and not asked:
        support = f"The site asks its users not to stripe by hand; ask its support before you {text}"
        return (Advice(support, source=source),)
    opening = "If these files are on Lustre, " if context.file_system == "unknown" else ""
    said = f"{opening}{text}"
    there = _were_there(context)
    command = _copy(context, options) if there else f"lfs setstripe {options} {output_directory(context.file)}"
    return (Advice(f"{said[0].upper()}{said[1:]} {_COPY if there else _AFTER}", command, "shell", source),)


def _were_there(context: Context) -> bool:
    """Whether the files were made before the run: it read them and wrote nothing."""
    return context.number("io.bytes_written") == 0 and bool(context.number("io.bytes_read"))


def _copy(context: Context, options: str) -> str:
    """A new directory with the striping, and the files copied there: one, or all of the directory's."""
    directory = directory_of(context.file)
    if directory is None or context.file is None:
        return f'mkdir "$NEW_DIRECTORY" && lfs setstripe {options} "$NEW_DIRECTORY" && cp FILES "$NEW_DIRECTORY"'
    new = shell_word(f"{directory}.striped")
    files = shell_word(context.file) if (context.files or 1) == 1 else f"-r {shell_word(directory + '/.')}"
    return f"mkdir {new} && lfs setstripe {options} {new} && cp {files} {new}"


def _manual(context: Context) -> str:
    known = context.site.file_system_of(context.file) if context.file is not None else None
    return known.manual_striping if known is not None else "yes"


def _site_source(context: Context) -> Citation | None:
    known = context.site.file_system_of(context.file) if context.file is not None else None
    return Citation(known.source.document, known.source.section) if known is not None and known.source else None
