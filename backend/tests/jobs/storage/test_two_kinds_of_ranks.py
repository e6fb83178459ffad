"""Ranks that are quick or slow with as much to do, most of them slow: what each kind has alone is named."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from described import MIB, Part, Work, document

RANKS = 128


def asked(slow: Sequence[bool], osts: tuple[int, ...], nodes: int | None = None) -> str:
    """4 GiB in a file of each rank: 20 s, and four times as long for the slow."""
    took = tuple(80.0 + rank % 7 if slow[rank] else 20.0 for rank in range(RANKS))
    part = Part("/scratch/r/o.{}", range(RANKS), writes=1024, size=4 * MIB, write_s=took, osts=osts)
    found = document(Work((part,), RANKS, 200.0, nodes=nodes)).unexplained
    assert found is not None
    return f"{found.experiment} {found.command}"


@pytest.mark.parametrize("quick", [8, 5])
def test_the_osts_of_the_fewer_are_named(quick: int) -> None:
    """Flash has a file for each of half of the ranks, and disks those of the others."""
    slow = [rank % 2 == 1 for rank in range(RANKS)]
    osts = tuple(quick + rank // 2 % (48 - quick) if slow[rank] else rank // 2 % quick for rank in range(RANKS))
    said = asked(slow, osts)
    listed = ", ".join(str(ost) for ost in range(quick - 1))
    assert f"lie on OSTs of their own (those of the other ranks: {listed} and {quick - 1})" in said
    assert "lfs pool_list /scratch/r/o." in said


def test_so_are_nodes_where_they_share_the_osts() -> None:
    slow = [rank >= 48 for rank in range(RANKS)]
    osts = tuple(rank % 16 for rank in range(RANKS))
    said = asked(slow, osts, nodes=8)
    assert "ran on nodes of their own (those of the other ranks: nid000000, nid000001 and nid000002)" in said


def test_where_they_share_both_it_asks_what_they_have_in_common() -> None:
    slow = [rank % 2 == 1 for rank in range(RANKS)]
    osts = tuple(rank // 2 % 16 for rank in range(RANKS))
    assert "See first what these have in common" in asked(slow, osts, nodes=8)
