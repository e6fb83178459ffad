"""`--set THRESHOLD=NUMBER`: a reader's own numbers, for the commands that decide."""

from __future__ import annotations

import argparse
from collections.abc import Iterable


def declare_own_thresholds(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set",
        metavar="THRESHOLD=NUMBER",
        action="append",
        default=[],
        dest="own",
        help="use your own number for a threshold of `iotriage rules`; may be given again",
    )


def own_thresholds(assignments: Iterable[str]) -> dict[str, float]:
    """What `--set` was given, by threshold id. ValueError where one is none."""
    return dict(_own_number(one) for one in assignments)


def _own_number(assignment: str) -> tuple[str, float]:
    name, _, number = assignment.partition("=")
    try:
        return name, float(number)
    except ValueError:
        raise ValueError(f"{assignment}: give it as THRESHOLD=NUMBER, as in small-io.fraction=0.2") from None
