"""How long system calls take: each rank's own work, and what it shares with others.

All ranks of a phase begin together. A shared resource (an OST, a node's link, the network to the servers, the metadata
server) serves those who want it in equal parts: who wants w seconds of it ends after the sum over all j of min(w_j, w).
A rank's time is the largest of these and of its own work; its calls share it as their own costs do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .calls import METADATA, Calls, Flags, Floats, Ints, Op
from .laws import Laws, MiB
from .programs import Program

SEQUENTIAL_BYTES = MiB
"""From this size on a call is as good as one of a sequence: it fills requests by itself."""
_METADATA_WEIGHT = {Op.OPEN: 1.0, Op.CREATE: 2.0, Op.STAT: 1.0, Op.CLOSE: 0.5, Op.SEEK: 0.0, Op.VIEW: 0.0}


@dataclass(frozen=True)
class Layouts:
    """The program's files as columns (files,)."""

    system: Ints
    stripes: Ints
    size: Ints
    first: Ints

    @classmethod
    def of(cls, program: Program) -> Layouts:
        files = program.files
        columns = (
            [f.system for f in files],
            [f.stripes for f in files],
            [f.stripe_size for f in files],
            [f.first_ost for f in files],
        )
        return cls(*(np.array(column, np.int64) for column in columns))


def seconds(program: Program, given: Calls, *, aggregating: bool = False) -> Floats:
    """(n,) how long each row takes, all of its calls together. Rows of a rank follow on each other.

    Nothing of what aggregators write is taken to stay in their caches: what is measured of collective writes ends with
    a close that waits for the data.
    """
    took = np.zeros(len(given))
    layouts = Layouts.of(program)
    system = layouts.system[given.file]
    rng = np.random.default_rng([program.seed, len(given), 7])
    for index, laws in enumerate(program.systems):
        here = np.flatnonzero(system == index)
        if len(here):
            took[here] = _of_system(program, given.take(here), index, laws, layouts, aggregating)
    # Each call varies by itself: a run of many has the mean of as many.
    spread = program.systems[0].call_spread / np.sqrt(np.maximum(1, given.count))
    by_rank = np.exp(np.random.default_rng([program.seed, 11]).normal(0, program.systems[0].rank_spread, program.ranks))
    return np.asarray(took * np.exp(spread * rng.normal(0, 1, len(given)) - spread**2 / 2) * by_rank[given.rank])


def _of_system(program: Program, given: Calls, index: int, laws: Laws, layouts: Layouts, aggregating: bool) -> Floats:
    weather = program.weather
    own, service = _metadata(given, laws, layouts, weather.metadata if index == 0 else 1.0)
    library = given.op == Op.LIBRARY
    own = np.where(library, laws.library_call * given.count, own)
    own = np.where(given.op == Op.SEEK, 0.2e-6 * given.count, own)
    own = np.where(given.op == Op.LOCK, laws.file_lock * given.count, own)
    took = _stretched(program, given, own, [_fair(_by_rank(program, given, service))])
    data = given.among((Op.READ, Op.WRITE, Op.SYNC))
    if data.any():
        at = np.flatnonzero(data)
        took[at] = _data(program, given.take(at), index, laws, layouts, aggregating)
    return took


def _metadata(given: Calls, laws: Laws, layouts: Layouts, slower: float) -> tuple[Floats, Floats]:
    stripes = layouts.stripes[given.file]
    weight = np.zeros(len(given))
    for op, share in _METADATA_WEIGHT.items():
        weight[given.op == op] = share
    objects = np.select(
        [given.op == Op.CREATE, given.op == Op.OPEN, given.op == Op.STAT],
        [laws.object_create * stripes, laws.object_open * stripes, 0.1 * laws.object_open * stripes],
        0.0,
    )
    waits = np.where(given.among(METADATA), weight * laws.metadata_round_trip, 0.0)
    own = (waits * slower + objects) * given.count
    service = (weight * laws.metadata_service * slower + objects / 16 * (given.op == Op.CREATE)) * given.count
    return own, service


def _data(program: Program, given: Calls, index: int, laws: Laws, layouts: Layouts, aggregating: bool) -> Floats:
    weather = program.weather
    reading, syncing = given.op == Op.READ, given.op == Op.SYNC
    sequential = _sequential(given)
    moved = np.where(syncing, 0, given.bytes).astype(float)
    missed = np.where(reading, _missed(program, given, laws), 1.0)
    absorbed = np.where(reading | syncing | aggregating, 0.0, _absorbed(program, given, laws, layouts))
    conflicts = (
        np.where(reading | syncing, 0.0, _conflicts(program, given, laws, layouts)) if laws.osts > 1 else 0.0 * moved
    )
    requests = np.ceil(moved / laws.rpc_bytes) + np.where(
        sequential, 0.0, given.count * np.where(reading, 1.0, np.where(conflicts > 0, 1.0, 0.125))
    )
    small = ~sequential & (given.size < SEQUENTIAL_BYTES)
    each = np.where(small & reading, laws.random_request, laws.request)
    slower = (weather.storage, weather.clients, weather.locks) if index == 0 else (1.0, 1.0, 1.0)
    lock = laws.lock * slower[2]
    rate = (laws.aggregator_rate if aggregating else laws.process_rate) / slower[1]
    own = (
        given.count * laws.system_call
        + moved / rate
        + np.where(reading & ~sequential, missed * given.count * laws.round_trip, 0.0)
        + conflicts * lock
        + np.where(syncing, laws.commit * given.count, 0.0)
    )
    on_ost = np.where(reading, moved / laws.ost_read, moved / laws.ost_write) + requests * each
    on_ost = (
        (on_ost * missed * (1 - absorbed)) + conflicts * lock + np.where(syncing, laws.commit * 0.1 * given.count, 0.0)
    )
    demand, share = _over_osts(program, given, on_ost * slower[0], index, laws, layouts)
    through = moved * missed * (1 - absorbed)
    waits = [
        _fair(demand).max(axis=1),
        _of_nodes(program, _by_rank(program, given, through / laws.node_rate * slower[1])[:, 0]),
        _fair(_by_rank(program, given, through / laws.system_rate * slower[0]))[:, 0],
    ]
    stall = weather.stall_s if index == 0 else 0.0
    return _stretched(program, given, own + share, [wait[:, None] for wait in waits], floor=own, stall=stall)


def _stretched(
    program: Program,
    given: Calls,
    weight: Floats,
    waits: list[Floats],
    *,
    floor: Floats | None = None,
    stall: float = 0.0,
) -> Floats:
    """Each rank's calls share its time as `weight` does; the time is the largest of its own work and its waits."""
    own = _by_rank(program, given, weight if floor is None else floor)[:, 0]
    total = np.maximum.reduce([own, *(wait.max(axis=1) for wait in waits)])
    total = np.where(own > 0, total + stall, total)
    weights = _by_rank(program, given, weight)[:, 0]
    return np.asarray(weight * (total / np.where(weights > 0, weights, 1.0))[given.rank])


def _by_rank(program: Program, given: Calls, values: Floats) -> Floats:
    return np.bincount(given.rank, values.astype(float), minlength=program.ranks)[:, None].astype(float)


def _fair(demand: Floats) -> Floats:
    """(ranks, resources) seconds wanted → when each is done, all having begun together."""
    order = np.argsort(demand, axis=0, kind="stable")
    sorted_demand = np.take_along_axis(demand, order, axis=0)
    below = np.cumsum(sorted_demand, axis=0)
    others = np.arange(len(demand) - 1, -1, -1)[:, None] * sorted_demand
    done = np.empty_like(demand)
    np.put_along_axis(done, order, below + others, axis=0)
    return np.where(demand > 0, done, 0.0)


def _of_nodes(program: Program, demand: Floats) -> Floats:
    padded = np.zeros(program.nodes * program.per_node)
    padded[: program.ranks] = demand
    by_node = padded.reshape(program.nodes, program.per_node).T.copy()
    for node, factor in program.weather.slow_nodes.items():
        by_node[:, node % program.nodes] *= factor
    return np.asarray(_fair(by_node).T.reshape(-1)[: program.ranks])


def _sequential(given: Calls) -> Flags:
    """A run whose calls follow on each other, a call that goes on where the rank's last one on the file ended, or one
    large enough by itself."""
    order = np.lexsort((np.arange(len(given)), given.file, given.rank))
    end = given.offset + (given.count - 1) * given.step + given.size
    same = (given.file[order][1:] == given.file[order][:-1]) & (given.rank[order][1:] == given.rank[order][:-1])
    follows = np.zeros(len(given), bool)
    follows[order[1:]] = same & (given.offset[order][1:] == end[order][:-1])
    return np.asarray((given.size >= SEQUENTIAL_BYTES) | ((given.count > 1) & (given.step == given.size)) | follows)


def _missed(program: Program, given: Calls, laws: Laws) -> Floats:
    """(n,) share of a row's bytes that the node has not yet; what another node read comes from a server's memory."""
    reading = given.op == Op.READ
    if not reading.any():
        return np.ones(len(given))
    node = program.node_of(given.rank)
    _, place = np.unique(_mixed(given.file, given.offset, given.size, given.count, given.step), return_inverse=True)
    bytes_ = np.where(reading, given.bytes, 0)
    by_node = place * program.nodes + node
    ranks_of = np.bincount(by_node, reading.astype(float), minlength=int(by_node.max()) + 1)
    distinct = np.zeros(program.nodes)
    _, first = np.unique(by_node, return_index=True)
    np.add.at(distinct, node[first], bytes_[first])
    passes = _repeats(place, given.rank)
    copies = np.where(distinct[node] > laws.cache_bytes, ranks_of[by_node] / np.maximum(1, passes), ranks_of[by_node])
    nodes_of = np.bincount(place[first], minlength=int(place.max()) + 1)[place]
    from_disk = 1 / np.maximum(1, nodes_of)
    rate = from_disk + (1 - from_disk) * min(1.0, laws.ost_read / laws.server_cache_rate)
    return np.asarray(rate / np.maximum(1.0, copies))


def _repeats(place: Ints, rank: Ints) -> Floats:
    """(n,) how often the row's rank reads the same place."""
    _, same, times = np.unique(place * (int(rank.max()) + 1) + rank, return_inverse=True, return_counts=True)
    return np.asarray(times[same], float)


def _mixed(*columns: Ints) -> NDArray[np.uint64]:
    """(n,) one number for each row of columns, another for other rows: a hash, for 64 bits are enough of one."""
    mixed = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _absorbed(program: Program, given: Calls, laws: Laws, layouts: Layouts) -> Floats:
    """(n,) share of the written bytes that the node's cache takes, to be written while the ranks compute."""
    node = program.node_of(given.rank)
    writing = given.op == Op.WRITE
    written = np.bincount(node, np.where(writing, given.bytes, 0), minlength=program.nodes)
    synced = np.bincount(node, given.op == Op.SYNC, minlength=program.nodes) > 0
    _, first = np.unique(given.file * program.nodes + node, return_index=True)
    stripes = np.bincount(node[first], layouts.stripes[given.file[first]], minlength=program.nodes)
    room = np.minimum(stripes, laws.osts) * laws.dirty_bytes
    share = np.where(synced, 0.0, np.minimum(1.0, room / np.maximum(1.0, written)))
    return np.asarray(share[node])


def _conflicts(program: Program, given: Calls, laws: Laws, layouts: Layouts) -> Floats:
    """(n,) locks that a row's writes take from other nodes: for each stripe that it shares with them, each time."""
    node = program.node_of(given.rank)
    writing = given.op == Op.WRITE
    pairs = np.unique(given.file[writing] * program.nodes + node[writing])
    writers = np.bincount(pairs // program.nodes, minlength=len(program.files))[given.file]
    other = np.where(writers > 1, (writers - 1) / np.maximum(1, writers), 0.0)
    stripe = layouts.size[given.file]
    run = (given.count > 1) & (given.step == given.size)
    extent = np.where(run, given.size * given.count, given.size)
    times = np.where(run, 1, given.count)
    edges = (given.offset % stripe != 0).astype(float) + ((given.offset + extent) % stripe != 0)
    within = extent < stripe
    fine = np.where(within & (edges > 0), np.where(run, given.count, 1), edges)
    coarse = laws.coarse_lock * np.maximum(1, extent // stripe) * (extent >= stripe)
    return np.asarray(other * times * (fine + coarse))


def _over_osts(
    program: Program, given: Calls, wanted: Floats, index: int, laws: Laws, layouts: Layouts
) -> tuple[Floats, Floats]:
    """(ranks, OSTs) seconds wanted of each OST, and (n,) those of each row, slow OSTs counted as they are."""
    stripes, size = layouts.stripes[given.file], layouts.size[given.file]
    jump = np.where((given.count > 1) & (given.step >= size), given.step // size, 1)
    extent = np.where((given.count > 1) & (given.step >= size), given.size, (given.count - 1) * given.step + given.size)
    apart = (given.count > 1) & (given.step >= size)
    cycle = np.where(apart, stripes // np.gcd(jump % stripes + stripes * (jump % stripes == 0), stripes), stripes)
    spans = (given.offset % size + extent - 1) // size + 1
    reach = np.where(apart, np.minimum(given.count, cycle), np.minimum(spans, stripes))
    reach = np.maximum(1, reach)
    first = given.offset // size
    rates = _ost_factors(program, index, laws)
    demand = np.zeros(program.ranks * laws.osts)
    share = np.zeros(len(given))
    for turn in range(int(reach.max())):
        on = np.flatnonzero(reach > turn)
        stripe = (first[on] + turn * jump[on]) % stripes[on]
        ost = (layouts.first[given.file[on]] + stripe) % laws.osts
        cost = wanted[on] / reach[on] * rates[ost]
        share[on] += cost
        demand += np.bincount(given.rank[on] * laws.osts + ost, cost, minlength=len(demand))
    return demand.reshape(program.ranks, laws.osts), share


def _ost_factors(program: Program, index: int, laws: Laws) -> Floats:
    factors = np.exp(np.random.default_rng([program.seed, 3, index]).normal(0, laws.per_ost_spread, laws.osts))
    if index == 0:
        for ost, factor in program.weather.slow_osts.items():
            factors[ost % laws.osts] *= factor
    return np.asarray(factors)
