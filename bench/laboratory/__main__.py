"""`python -m bench.laboratory`: reality first, then what the product says of drawn jobs, in tables.

--seed N        other draws            --number N      known faults (others in proportion)
--held-out      the families kept from development, from seeds of their own
--keep DIR      leave the logs there   --quick         without perturbed laws
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from .documented import comparisons, report
from .draws import Kind, plans
from .experiment import Outcome, experiments
from .laws import PERTURBATIONS
from .table import table


def main() -> None:
    options = _options()
    began = time.monotonic()
    print(f"The model beside documented measurements (measured, modelled, how far apart):\n{report(comparisons())}")
    number: int = options.number
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    _run("drawn jobs", options, _numbers(number))
    if not options.quick:
        for how in PERTURBATIONS:
            _run(f"laws perturbed: {how}", options, _numbers(max(8, number // 6)), how)
    print(f"\nseed {options.seed}{', held out' if options.held_out else ''}: {time.monotonic() - began:.0f} s")


def _numbers(known: int) -> Mapping[Kind, int]:
    return {"faultless": known // 2, "known": known, "unknown": known // 3, "two": known // 3}


def _run(title: str, options: argparse.Namespace, numbers: Mapping[Kind, int], how: str = "") -> None:
    made = plans(options.seed, numbers, held_out=options.held_out, how=how)
    keep: Path | None = None if how else options.keep
    outcomes: list[Outcome] = []
    for outcome in experiments(made, keep, options.processes):
        outcomes.append(outcome)
        if keep:
            with (keep / "outcomes.jsonl").open("a") as lines:
                lines.write(json.dumps(asdict(outcome), default=float) + "\n")
    print(table(title, outcomes), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="laboratory", description="Drawn jobs with known truth, diagnosed.")
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--number", type=int, default=90)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--processes", type=int)
    return parser.parse_args()


if __name__ == "__main__":
    main()
