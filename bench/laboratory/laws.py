"""The laws: every constant of the model, and where it comes from.

Sources: archer = ARCHER Best Practice Guide (EPCC); archer2 = ARCHER2 User Guide; theta = Parallel I/O on Theta (ALCF);
epcc = Performance of Parallel IO on Lustre and GPFS (EPCC, STFC); nesi = I/O Performance Considerations (NeSI);
cache-demo = the two IOR runs of radix-io/hands-on on Cori. What no document states is marked as chosen, with its
reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

KiB, MiB, GiB = 1 << 10, 1 << 20, 1 << 30


@dataclass(frozen=True)
class Laws:
    """Rates in bytes per second, times in seconds, of one file system and the machine in front of it."""

    name: str
    osts: int
    ost_write: float
    ost_read: float
    system_rate: float
    """All OSTs together: the network between the nodes and the servers."""
    node_rate: float
    process_rate: float
    """One process through the client: the copy into its cache, checksums."""
    aggregator_rate: float
    """One aggregator of a collective call: it receives, packs and writes."""

    request: float = 0.3e-3
    """An OST's work for one request besides its bytes. Chosen: a journal write on a controller with memory."""
    random_request: float = 2.0e-3
    """The same where the disk must seek. Chosen: a third of a disk's seek, for ten data disks behind an OST."""
    round_trip: float = 0.4e-3
    """What a process waits for one request that nothing hides. Chosen: network and server's threads."""
    rpc_bytes: int = 4 * MiB
    """Lustre's largest request since 2.9."""
    system_call: float = 6.0e-6
    """One call into the client's cache: 4 KiB pieces at 1.3 GB/s with native clients leave 3 µs each (nesi)."""
    library_call: float = 0.25e-6
    """One fprintf or fwrite into a buffer. Chosen: measured on a desktop."""
    lock: float = 1.5e-3
    """Taking a range's lock from another node: a callback, a flush, a grant. 8 to 64 writers of one file that
    interleave pieces reach 5.9 to 2.4 MiB/s (epcc, slide 16), which this gives for pieces of some KiB."""
    coarse_lock: float = 0.15
    """Share of whole stripes for which a lock must be taken from another node: shared files reach 60 to 70 % of what
    files of their own do on as many OSTs (archer, tables of FPP and SSF)."""
    file_lock: float = 0.15e-3
    """ROMIO's lock on a range for data sieving (fcntl). Chosen: one round trip to the lock's server, mostly idle."""
    dirty_bytes: int = 32 * MiB
    """Written data that a client holds for each OST before writers wait: Lustre's max_dirty_mb."""
    cache_bytes: int = 24 * GiB
    """A node's page cache for reads. Chosen: what a job leaves free of 64 GiB."""
    server_cache_rate: float = 3.0e9
    """What an OST's server gives again from its memory. Chosen: between a disk's and a network's rate."""

    metadata_round_trip: float = 0.5e-3
    metadata_service: float = 1 / 30_000
    """The metadata server's work for one operation. Theirs: 36,000 creates a second through DVS, 190,000 with native
    clients of Spectrum Scale (nesi); Lustre's single MDS lies at the lower end."""
    object_create: float = 0.25e-3
    """For each stripe of a new file. Chosen: OSTs have objects ready; the metadata server writes the layout."""
    object_open: float = 4.0e-3
    """For each stripe of a small file that is read, one after the other: 36,000 files take 2 h on all stripes and 6 min
    on one (epcc, slide 9)."""
    commit: float = 8.0e-3
    """An fsync's wait for the disks. Chosen: one turn and one seek of a disk."""
    collective_startup: float = 0.6e-3
    collective_per_rank: float = 1.5e-6
    """What a collective call costs before it moves bytes: offsets from all to all. Chosen: an allgather and an alltoall
    on a network of that day."""
    exchange_rate: float = 2.0e9
    """A node's bytes from ranks to aggregators. Chosen: a third of what its network does with large messages, so that
    sending takes about as long as writing, as in the TIMERS of a healthy run (theta: 39 and 44 %)."""
    per_ost_spread: float = 0.06
    """Log-normal spread of the OSTs' rates on one day: 4 to 5 % usual variation (theta)."""
    rank_spread: float = 0.02
    call_spread: float = 0.15


DISK = Laws(
    "disk",
    osts=48,
    ost_write=500e6,
    ost_read=520e6,
    system_rate=14e9,
    node_rate=5.5e9,
    process_rate=1.0e9,
    aggregator_rate=0.7e9,
)
"""As ARCHER's fs3: 500 MB/s an OST (archer), 15 to 17 GiB/s in practice of 30 in theory, 12 GiB/s from two nodes, at
most 1 GB/s from one process (archer2), 662 MiB/s a node that aggregates (archer, SSF table)."""

CAPACITY = Laws(
    "capacity",
    osts=56,
    ost_write=2.4e9,
    ost_read=2.8e9,
    system_rate=130e9,
    node_rate=6.0e9,
    process_rate=1.2e9,
    aggregator_rate=1.1e9,
    exchange_rate=3.0e9,
)
"""As theta-fs0: 56 OSTs, 172 GB/s written and 240 GB/s read at the peak, of which a half is had (theta)."""

FLASH = Laws(
    "flash",
    osts=20,
    ost_write=6.0e9,
    ost_read=8.0e9,
    system_rate=100e9,
    node_rate=12e9,
    process_rate=1.8e9,
    aggregator_rate=1.5e9,
    exchange_rate=8.0e9,
    request=0.1e-3,
    random_request=0.15e-3,
    commit=1e-3,
    object_open=1e-3,
)
"""As ARCHER2's NVMe file system: 150 GiB/s in the median of file-per-process (archer2)."""

HOME = Laws(
    "home",
    osts=1,
    ost_write=180e6,
    ost_read=400e6,
    system_rate=400e6,
    node_rate=0.4e9,
    process_rate=0.3e9,
    aggregator_rate=0.2e9,
    request=0.5e-3,
    random_request=1.5e-3,
    rpc_bytes=MiB,
    metadata_service=1 / 4_000,
    dirty_bytes=64 * MiB,
    object_create=0.0,
    object_open=0.0,
    server_cache_rate=0.8e9,
)
"""A home directory behind NFS. Chosen: one server with one link of 10 Gbit/s, a small array."""

LUSTRES = (DISK, CAPACITY, FLASH)


def perturbed(laws: Laws, how: str) -> Laws:
    """The laws otherwise: "rates" three times as fast, "caches" a tenth and no server's memory, "locks" four times as
    dear and requests three times."""
    if how == "rates":
        names = (
            "ost_write",
            "ost_read",
            "system_rate",
            "node_rate",
            "process_rate",
            "aggregator_rate",
            "exchange_rate",
        )
        return replace(laws, **{name: getattr(laws, name) * 3 for name in names})
    if how == "caches":
        return replace(laws, dirty_bytes=4 * MiB, cache_bytes=2 * GiB, server_cache_rate=laws.ost_read)
    if how == "locks":
        return replace(
            laws, lock=4 * laws.lock, coarse_lock=0.4, request=3 * laws.request, random_request=2 * laws.random_request
        )
    return laws


PERTURBATIONS = ("rates", "caches", "locks")
