"""What a child gives away before it sees a byte of its source."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from iotriage.confinement.kernel import ON_LINUX, die_with_parent, disable_dumping, set_no_new_privs
from iotriage.confinement.landlock import restrict_files
from iotriage.confinement.libraries import libraries
from iotriage.confinement.limits import Limits, limit_resources
from iotriage.confinement.seccomp import prepare_filters, restrict_calls


def prepare_confining() -> None:
    """Works out once, in the process that others are forked off, what each of them would."""
    libraries()
    prepare_filters()


def confine(limits: Limits, scratch: Path | None, readable: Sequence[Path] = ()) -> None:
    """From now on, and for good, this process may compute, use what is open, read the libraries and `readable`, write
    temporary files in `scratch` (nowhere where that is None), and end. What it may use up is in `limits`.

    OSError where the kernel refuses what it has; what it does not have is left out, and `available()` says so."""
    # An unnamed file in a folder that is no longer there would be sought elsewhere.
    tempfile.tempdir = None if scratch is None else str(scratch)
    limit_resources(limits)
    if not ON_LINUX:
        return
    set_no_new_privs()
    disable_dumping()
    die_with_parent()
    restrict_files((*libraries(), *readable), scratch)
    # Last: none of the above is on its list.
    restrict_calls(writes=scratch is not None)


def drop_write_access(readable: Sequence[Path]) -> None:
    """Confines a process that has limits of its own and does not end with its parent: it reads the libraries and
    `readable`, and writes only what it has open. Raises OSError as `confine` does."""
    if ON_LINUX:
        set_no_new_privs()
        restrict_files((*libraries(), *readable), None)
        restrict_calls(writes=False)
