"""How a benchmark used its files, which a site's own tables, the expectation and compared runs all take from here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iotriage.sites.benchmark_use import PATTERNS, pattern_of_ior, rated_pattern, stated_stripes
from iotriage_parsers.evidence import BenchmarkResult, BenchmarkRun, Lines

RUN = BenchmarkRun("IOR", "text", Lines(1, 9), complete=True, results=(), api="MPIIO", nprocs=64)
WRITE = BenchmarkResult("write")


@pytest.mark.parametrize(
    ("stated", "pattern"),
    [
        ({"access": "single-shared-file", "collective": True}, "shared-collective"),
        ({"access": "single-shared-file", "collective": False}, "shared-independent"),
        ({"access": "single-shared-file", "api": "POSIX"}, "shared-independent"),
        ({"access": "single-shared-file"}, None),
        ({"access": "file-per-process", "collective": True}, "file-per-process"),
        ({"access": "single-shared-file", "collective": True, "nprocs": 1}, "serial"),
        ({"collective": True}, None),
    ],
)
def test_the_pattern_is_that_of_the_documents(stated: dict[str, object], pattern: str | None) -> None:
    assert rated_pattern(replace(RUN, **stated), WRITE) == pattern  # type: ignore[arg-type]


@pytest.mark.parametrize("api", ["POSIX", "POSIX.odirect", "posix"])
def test_what_is_asked_of_a_phase_of_the_io500_is_read_as_ior_prints_it(api: str) -> None:
    printed = replace(RUN, access="single-shared-file", api=api, collective=True)
    assert pattern_of_ior(64, "single-shared-file", api, collective=True) == rated_pattern(printed, WRITE)


def test_benchios_layers_are_patterns_whatever_its_head_says() -> None:
    for layer, pattern in PATTERNS.items():
        assert rated_pattern(replace(RUN, tool="benchio"), replace(WRITE, layer=layer)) == pattern
    assert PATTERNS["adios2"] == "subfiling"


@pytest.mark.parametrize(
    ("count", "directory", "stripes"),
    [(None, "unstriped", 1), (None, "fullstriped", -1), (None, "striped", None), (8, None, 8), (None, None, None)],
)
def test_the_stripes_are_those_that_benchmark_or_directory_say(
    count: int | None, directory: str | None, stripes: int | None
) -> None:
    assert stated_stripes(replace(RUN, stripe_count=count), replace(WRITE, striping=directory)) == stripes
