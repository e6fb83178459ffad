"""What to type about striping: only where the files are, or may be, on Lustre, and with the job's own directory."""

from __future__ import annotations

from math import inf

from iotriage.rules.rule import Advice, Citation, Context
from iotriage.rules.wording import counted, directory_of, shell_word

_GIB = 2**30

_NERSC_STRIPES = ((1, 1), (10, 8), (100, 24), (inf, 72))
"""Up to so many GiB, so many stripes: NERSC's groups default, small, medium and large."""

_AFTER = "Set it before the files are made: a file keeps the striping it was created with until it is copied."


def stripe_shared_file(context: Context) -> tuple[Advice, ...]:
    """Stripe a large shared file over more OSTs; nothing where it lies on all there are."""
    lies_on, there_are = context.number("file.stripe_count"), context.number("file.stripes_possible")
    if lies_on is not None and there_are is not None and lies_on >= there_are:
        return ()
    documented = context.site.shared_file_stripe_count
    if documented is not None:
        count, source = documented, _site_source(context) or Citation("archer2-io", "Single Shared File")
        why = f"The documents of {context.site.title} ask for this on a shared file."
    else:
        count, source = stripes_for(context), Citation("nersc-lustre", "Striping by file size")
        why = "The number grows with the size of the file, and is never above the ranks, nodes or OSTs there are."
    over = "all OSTs" if count < 0 else counted(count, "OST")
    return _setstripe(context, count, f"stripe the directory of the shared file over {over}. {why}", source)


def stripe_single(context: Context, source: Citation) -> tuple[Advice, ...]:
    """One stripe a file, for many files."""
    return _setstripe(context, 1, "give every file of the directory one stripe.", source)


def may_stripe(context: Context) -> bool:
    """Whether striping can be spoken of: Lustre, or a file system that is not known, and not ruled out by the site."""
    return context.file_system in ("lustre", "unknown") and _manual(context) != "impossible"


def stripes_for(context: Context) -> int:
    """A stripe count for the largest file of the scope: NERSC's count for its size, at most one stripe a rank (or
    node, where known; theta-io, General striping approaches) and no more than there are OSTs."""
    bytes_of_file = context.number("file.size") or 0.0
    wanted = next(count for limit, count in _NERSC_STRIPES if bytes_of_file < limit * _GIB)
    limits = [context.number(m) for m in ("job.nprocs", "job.nnodes", "file.stripes_possible")]
    return max(1, int(min([wanted, *(n for n in limits if n is not None)])))


def _setstripe(context: Context, count: int, text: str, source: Citation) -> tuple[Advice, ...]:
    if not may_stripe(context):
        return ()
    if _manual(context) == "discouraged":
        asked = f"The site asks its users not to stripe by hand; ask its support before you {text}"
        return (Advice(asked, source=source),)
    opening = "If these files are on Lustre, " if context.file_system == "unknown" else ""
    said = f"{opening}{text}"
    return (Advice(f"{said[0].upper()}{said[1:]} {_AFTER}", _command(context, count), "shell", source),)


def _command(context: Context, count: int) -> str:
    directory = directory_of(context.file)
    target = '"$OUTPUT_DIRECTORY"' if directory is None else shell_word(directory)
    return f"lfs setstripe -c {count} {target}"


def _manual(context: Context) -> str:
    known = context.site.file_system_of(context.file) if context.file is not None else None
    return known.manual_striping if known is not None else "yes"


def _site_source(context: Context) -> Citation | None:
    known = context.site.file_system_of(context.file) if context.file is not None else None
    return Citation(known.source.document, known.source.section) if known is not None and known.source else None
