"""What the library takes apart below the calls of one rank, which has nobody to gather for: no buffer of collective
calls is missing there."""

from __future__ import annotations

from iotriage.metrics.mpiio.gathered import NEARLY
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.advice.striping import Stripes, lengthen_stripes
from iotriage.rules.core import Advice, Citation, Context, in_program


def why_apart(context: Context) -> str:
    """What follows "takes each call apart into many small writes"."""
    if _as_long_as_a_stripe(context):
        return ", each as long as a stripe of the file"
    return "" if is_one_process(context) else ": collective buffering is off or not used"


def _as_long_as_a_stripe(context: Context) -> bool:
    """Whether what one rank writes is cut where its stripes end; of several ranks `ssf-stripe-size` tells."""
    each, stripe = context.number("posix.average_write_size"), context.number("file.stripe_size")
    return is_one_process(context) and each is not None and stripe is not None and NEARLY * stripe <= each <= stripe


def keep_whole(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """Where the calls of one rank are large, and the library makes them small."""
    if _as_long_as_a_stripe(context):
        text = "Set a larger stripe size before the file is made, and measure."
        return (lengthen_stripes(context, Stripes(size_bytes=2**20), text, citation),)
    independent = (context.number("mpiio.independent_write_fraction") or 0.0) >= NEARLY
    them = "let each have contiguous data" if independent else "make them independent calls of contiguous data"
    return (
        in_program(
            f"The calls are large already, and one rank has nobody to share them with: {them} (MPI_File_write_at). "
            "They reach the file system as they are.",
            citation=citation,
        ),
    )
