"""Warehouses that several modules ask and none changes, made once in a process."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged_days import case_of, written
from samples import cases
from saying import given_of


@pytest.fixture(scope="session")
def sampled_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every eighth sample, a log each."""
    found = (case_of(str(case), given_of(case.sources)) for case in cases()[::8])
    return written(tmp_path_factory.mktemp("centre"), [case for case in found if case is not None])
