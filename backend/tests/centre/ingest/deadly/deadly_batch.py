"""What a child does with a batch, but for logs whose names say what they do to their reader."""

from __future__ import annotations

import os

from iotriage.centre import batch_child
from iotriage.intake.child import Work


def reading() -> Work:
    sound = batch_child._outcome

    def outcome(name: str, *given: object) -> object:
        if "deadly" in name:
            os._exit(1)
        while "endless" in name:
            pass
        return sound(name, *given)

    batch_child._outcome = outcome
    return batch_child.reading()
