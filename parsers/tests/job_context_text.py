"""Texts of jobs, and what is read out of them."""

from __future__ import annotations

from io import BytesIO

from stats_text import read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, JobContext


def only(text: str) -> JobContext:
    (found,) = read(text).of(JobContext)
    return found


def contexts(text: str) -> tuple[JobContext, ...]:
    """None where the text is of nothing that is known."""
    answer = detect.read(BytesIO(text.encode()))
    return answer.of(JobContext) if isinstance(answer, Evidence) else ()


def script(*lines: str) -> str:
    return "\n".join(["#!/bin/bash", "#SBATCH --nodes=2", *lines, "srun -n 8 ./a.out", ""])
