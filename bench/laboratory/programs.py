"""A program: what runs where, its files and where they lie, and its phases, with a barrier between two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from .calls import Calls, Ints
from .laws import Laws, MiB

Switch = Literal["automatic", "enable", "disable"]


@dataclass(frozen=True)
class File:
    """`system` is an index into the program's systems; `stream_buffer` is what stdio holds of it."""

    path: str
    system: int = 0
    stripes: int = 1
    stripe_size: int = MiB
    first_ost: int = 0
    stream_buffer: int = 4096


@dataclass(frozen=True)
class Hints:
    """What MPI-IO is told of a file. No aggregators: one on each node, at most one for each stripe.
    `by_stripe`: aggregators own stripes (Lustre's driver) rather than equal parts of each call (the common one)."""

    write_buffering: Switch = "automatic"
    read_buffering: Switch = "automatic"
    write_sieving: Switch = "automatic"
    read_sieving: Switch = "automatic"
    aggregators: Sequence[int] = ()
    by_stripe: bool = True
    buffer_bytes: int = 16 * MiB
    given: bool = False
    """Whether the program passed an info object, which Darshan counts."""


@dataclass(frozen=True)
class Weather:
    """What others do to the machine while the job runs. Factors divide a rate: 4 makes it a quarter."""

    slow_osts: Mapping[int, float] = field(default_factory=dict)
    slow_nodes: Mapping[int, float] = field(default_factory=dict)
    storage: float = 1.0
    clients: float = 1.0
    exchange: float = 1.0
    metadata: float = 1.0
    locks: float = 1.0
    stall_s: float = 0.0
    """A pause of the whole file system in each phase that moves data."""


@dataclass(frozen=True)
class Phase:
    """What each rank computes, then calls. `late_s` (ranks,) is computed on top of that by each."""

    calls: Calls
    compute_s: float = 0.0
    late_s: Sequence[float] = ()
    barrier: bool = True


@dataclass(frozen=True)
class Program:
    """`systems` are the file systems by their laws; weather strikes the first."""

    ranks: int
    per_node: int
    systems: Sequence[Laws]
    files: Sequence[File]
    phases: Sequence[Phase]
    hints: Mapping[int, Hints] = field(default_factory=dict)
    weather: Weather = Weather()
    seed: int = 0
    exe: str = "./model.x run.nml"
    file_alignment: int = MiB
    with_layouts: bool = True
    with_heatmap: bool = True
    hdf5: Sequence[int] = ()
    """Files that HDF5 wrote, which have a record of its module too."""

    @property
    def nodes(self) -> int:
        return -(-self.ranks // self.per_node)

    def node_of(self, ranks: Ints) -> Ints:
        return ranks // self.per_node

    def hints_of(self, file: int) -> Hints:
        return self.hints.get(file, Hints())

    def aggregators_of(self, file: int) -> Ints:
        given = self.hints_of(file).aggregators
        if given:
            return np.asarray(given, np.int64)
        nodes = np.arange(self.nodes, dtype=np.int64)
        count = min(self.nodes, self.files[file].stripes)
        return nodes[np.linspace(0, self.nodes - 1, count).astype(np.int64)] * self.per_node
