"""Files whose format decides how they are read and written: the program asks for values, and the library chooses the
calls. What can be changed is a setting of the library, not the program's code."""

from __future__ import annotations

import re
from re import Pattern

from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.rules.advice.placement import on_the_node_already
from iotriage.rules.core import Advice, Citation, Context, advice, in_program
from iotriage.rules.core.words import paragraph, uncapitalised
from iotriage_parsers.frozen import frozen


@frozen
class Store:
    """`names` matches the paths of its files; `reads` and `writes` are what can be set for each. Of files that are not
    on the node `copied` is said before `reads`, and `kept` before `writes`. `syncs` where it syncs by itself, whatever
    the program does, and `together` stands for `writes` where it does so seldom; `opens` makes it open files less
    often. `apart` is said first of all of one that several ranks change, which nobody can copy to a node. What a
    program `changes` in it is to be copied back. `in_code` where it is set in the code that reads or writes it, and
    `served` where one server, or one program, has the folder to itself: no other run may share a copy."""

    names: Pattern[str]
    reads: str
    writes: str
    copied: str = ""
    kept: str = ""
    syncs: bool = False
    opens: str = ""
    together: str = ""
    apart: str = ""
    changes: bool = False
    in_code: bool = False
    served: bool = False


_SPARK_DIRECTORY = (
    "Keep what Spark shuffles on memory or a disk of each node: spark.local.dir says where, or SPARK_LOCAL_DIRS where "
    "the cluster's manager sets it."
)
_SPARK_PIECES = "Fewer partitions (spark.sql.shuffle.partitions) make fewer and larger pieces."

STORES = (
    Store(
        re.compile(r"\.(db3?|sqlite3?)(-journal|-wal)?$", re.IGNORECASE),
        "The database reads page by page, wherever these lie: with more of its pages in memory (of SQLite: PRAGMA "
        "cache_size, PRAGMA mmap_size) it reads fewer.",
        "Make many changes in one transaction: the database syncs at the end of each.",
        copied="Copy the database to memory or storage of the node before the run, where that has room for it.",
        syncs=True,
        opens="Make many changes in one transaction: each opens the journal of the database.",
        changes=True,
        together="The database seldom syncs: its changes are in few transactions already, or it is set not to sync at "
        "each (of SQLite: PRAGMA synchronous), and then fewer transactions still write fewer pages. It writes these "
        "one by one: larger ones (of SQLite: PRAGMA page_size = 65536 before the first table is made) are fewer. Or "
        "make the database in memory (/dev/shm), where it fits there, and copy it when it is whole.",
        apart="One process at a time changes a database, and the others wait for its lock: give each rank one of its "
        "own and put them together after the run (of SQLite: ATTACH, and INSERT INTO ... SELECT), or let one rank "
        "make the changes of all.",
    ),
    Store(
        re.compile(r"(^|/)data\.mdb$"),
        "LMDB looks up page by page, wherever these lie: ask for records in the order of their keys.",
        "Put many records into one transaction: LMDB syncs at the end of each. Or open the environment so that it does "
        "not (of C MDB_NOSYNC, of Python sync=False), and sync it once, at the end, if it can be made again: where the "
        "node goes down before that, all of it may be lost.",
        copied="Copy the database to memory or storage of the node before the run, where that has room for it.",
        kept="Make the database in memory (/dev/shm) or on a disk of the node, and copy it when it is whole.",
        syncs=True,
        changes=True,
    ),
    Store(
        re.compile(r"/pg_wal/[0-9A-F]{24}$|/base/[1-9]\d{4,}/[1-9]\d{3,}(_fsm|_vm)?(\.\d+)?$"),
        "PostgreSQL reads page by page, wherever these lie: with more of them in memory (shared_buffers) it reads "
        "fewer.",
        "Make many changes in one transaction, and load tables by COPY: PostgreSQL syncs its log at the end of each. "
        "With synchronous_commit = off none waits for that: where the node goes down the last ones are lost, and the "
        "database stays whole.",
        copied="Keep the data directory on a disk or in the memory of the node, where that has room for it.",
        kept="Keep the data directory on a disk of the node, and copy it back at the end of the job.",
        syncs=True,
        changes=True,
        served=True,
    ),
    Store(
        re.compile(
            r"/(collection|index)-\d+-+\d+\.wt$|/WiredTigerLog\.\d{10}$|/(ib_logfile|ibdata|#ib_redo)\d+$"
            # imzML, of mass spectrometry, has files of that ending too.
            r"|(mysql|maria)[^/]*/(.*/)?[^/]+\.ibd$"
        ),
        "The server reads page by page, wherever these lie: with more of them in memory (of MongoDB the cache of "
        "WiredTiger, of MySQL and MariaDB innodb_buffer_pool_size) it reads fewer.",
        "Make many changes in one transaction, or in one call (insertMany): the server syncs its log at the end of "
        "each. Where none waits for that (of MongoDB the write concern j: false, of MySQL and MariaDB "
        "innodb_flush_log_at_trx_commit = 2), the last ones are lost where the node goes down.",
        copied="Keep the data directory on a disk or in the memory of the node, where that has room for it.",
        kept="Keep the data directory on a disk of the node, and copy it back at the end of the job.",
        syncs=True,
        changes=True,
        served=True,
    ),
    Store(
        re.compile(r"(^|/)\d{6,}\.(sst|ldb)$"),
        "The store looks up block by block, wherever these lie: with a larger cache (of RocksDB and LevelDB: "
        "block_cache) it reads fewer.",
        "With a larger buffer (of RocksDB and LevelDB: write_buffer_size) the store writes fewer and longer files.",
        copied="Copy the store to memory or storage of the node before the run, where that has room for it.",
        changes=True,
        kept="Keep the store on storage of the node.",
    ),
    Store(
        re.compile(r"\.(parquet|orc|feather)$", re.IGNORECASE),
        "The reader picks columns out of groups of rows. Let it read those together that lie together (of pyarrow: "
        "pre_buffer=True), or write the files once with fewer and larger groups (row_group_size), in the order in "
        "which they are asked for.",
        "Write fewer and larger groups of rows (of pyarrow: row_group_size), so that the piece of each column is 1 MiB "
        "or more; and write through a buffer, which the pages of a column share: of pyarrow "
        "pyarrow.output_stream(name, buffer_size=8 << 20) in the place of the name.",
        in_code=True,
    ),
    Store(
        re.compile(r"\.(ffdata|ffindex|[np](hr|sq)|(rev\.)?[1-4]\.bt2l?|dmnd|k2d|bwt(\.2bit\.64)?)$"),
        "The program looks up records one by one, wherever these lie, and few can change its code. In the memory of "
        "the node (/dev/shm), where that is large enough, a record is found sooner than on its disk.",
        "The program writes records one by one, wherever these lie. In the memory of the node (/dev/shm), where that "
        "is large enough, a record is written sooner than on its disk.",
        copied="Copy the database to memory (/dev/shm) or a disk of the node before the run, where that is large "
        "enough.",
        kept="Build the database in memory (/dev/shm) or on a disk of the node, where that is large enough, and copy "
        "it when it is whole.",
    ),
    Store(
        re.compile(r"\.root$"),
        "ROOT reads the basket of a branch at a time. A cache of the tree reads those of many events in one access: "
        'tree->SetCacheSize(64 << 20) and tree->AddBranchToCache("*"), of RDataFrame by itself.',
        "ROOT writes the basket of a branch at a time: larger ones (tree->SetBasketSize, or a larger "
        "tree->SetAutoFlush) make fewer accesses.",
        copied="Where the file is read more than once, copy it to a disk of the node first.",
        in_code=True,
    ),
    Store(
        re.compile(r"\.mat$"),
        "A library chooses the accesses to a MAT-file (HDF5 in version 7.3): read a variable whole, by one load, or in "
        "large parts through matfile, not an element or a row at a time.",
        "A library chooses the accesses to a MAT-file (HDF5 in version 7.3): write a variable whole, by one save, or "
        "in large parts through matfile, and make it in its full size first.",
        copied="Where the file is read more than once, copy it to a disk of the node first.",
        in_code=True,
    ),
    Store(
        re.compile(r"(^|/)shuffle_\d+_\d+_\d+\.(data|index)$"),
        _SPARK_PIECES,
        _SPARK_PIECES,
        copied=_SPARK_DIRECTORY,
        kept=_SPARK_DIRECTORY,
        served=True,
    ),
)


@frozen
class Collection:
    """Data that a library lays out in many files: `names` matches the paths of these, `fewer` is how it makes fewer,
    and `opened` how fewer ranks open all of them. What processes on other nodes read `stays` where it is."""

    names: Pattern[str]
    fewer: str
    opened: str = ""
    stays: bool = False


COLLECTIONS = (
    Collection(
        re.compile(r"\.(parquet|orc|feather)$", re.IGNORECASE),
        "Have fewer and larger files: put partitions together before they are written (dask: "
        "repartition(partition_size='256MB'), Spark: coalesce), and those that are there by reading and writing them "
        "once. A file of 100 MiB or more is still read in parts.",
        opened="Each rank opens every file, perhaps for its footer alone, which says what lies where: let one rank "
        "read the footers and send them to the others (of pyarrow, the fragments of a data set can be sent as "
        "objects), or write all of them into one file once (of Parquet, _metadata). Then each rank opens what it "
        "reads.",
    ),
    Collection(
        re.compile(r"\.tdb$"),
        "Each attribute of each fragment of a TileDB array is a file. Write fewer and larger fragments, and put those "
        "that are there together (consolidate, then vacuum). Of GATK's GenomicsDBImport larger batches (--batch-size) "
        "make fewer, --consolidate puts them together, and --genomicsdb-shared-posixfs-optimizations true is for file "
        "systems that nodes share.",
    ),
    Collection(
        re.compile(r"\.zarr/"),
        "Each chunk of a Zarr array is a file. Give the array larger chunks, of 10 MiB or more, or put many of them "
        "into one file: shards of Zarr 3 (shards=), or for what is only read a ZipStore.",
    ),
    Collection(
        re.compile(r"\.bp[345]?(\.dir)?/"),
        "ADIOS2 makes a file for each rank that its engine has write: set NumAggregators, a parameter of its BP "
        "engines, to the number of nodes, and see whether fewer or more are faster.",
    ),
    Collection(
        re.compile(r"/Level_\d+/\w+_D_\d+$"),
        "AMReX has a number of ranks write the data of a level, one file each: amr.plot_nfiles and "
        "amr.checkpoint_nfiles in the input file, VisMF::SetNOutFiles in the program. Set it to about the number of "
        "nodes.",
    ),
    Collection(
        re.compile(r"\.root$"),
        "ROOT writes one file for all threads of a process (ROOT::TBufferMerger): start fewer processes, with threads. "
        "hadd puts together those that are there.",
    ),
    Collection(
        re.compile(r"/(\.command\.(sh|run|begin|log|out|err|trace)|\.exitcode)$"),
        "Nextflow keeps a folder of small files for each task: give each task more to do (several samples, or the "
        "operator buffer), so that there are fewer. process.scratch = true has a task work on the disk of its node, "
        "and copies only its outputs back; the work directory itself stays where all nodes see it.",
        stays=True,
    ),
)


def fewer_files(path: str | None, citation: Citation) -> tuple[Advice, ...]:
    """How the library that made the files can make fewer; empty where no way is known."""
    found = _collection_of(path)
    return () if found is None else (advice(found.fewer, citation=citation),)


def open_by_their_readers(path: str | None, citation: Citation) -> tuple[Advice, ...]:
    """What has each rank open the files that it reads, and no others; empty where no way is known."""
    found = _collection_of(path)
    return () if found is None or not found.opened else (in_program(found.opened, citation),)


def is_seen_by_others(path: str | None) -> bool:
    """Whether a file that one process writes and reads again is also meant for others."""
    found = _collection_of(path)
    return found is not None and found.stays


def _collection_of(path: str | None) -> Collection | None:
    return next((one for one in COLLECTIONS if one.names.search(path or "") is not None), None)


def store_of(path: str | None) -> Store | None:
    return next((store for store in STORES if store.names.search(path or "") is not None), None)


def store_settings(store: Store, context: Context, citation: Citation, *, reads: bool) -> Advice:
    if store.apart and _changed_by_several(context):
        return advice(paragraph(store.apart, store.reads if reads else store.writes), citation=citation)
    to_the_node, there = (_copied(store, context), store.reads) if reads else (store.kept, _of_writes(store, context))
    text = paragraph("" if on_the_node_already(context) else to_the_node, there)
    return in_program(text, citation) if store.in_code else advice(text, citation=citation)


def _copied(store: Store, context: Context) -> str:
    """What is changed in a copy is lost with the node; and on several nodes one copy has not what is changed in
    another. Of a whole job the bytes that are written may be those of other files."""
    if not store.changes or not store.copied or not context.number("io.bytes_written"):
        return store.copied
    if store.served:
        return store.kept
    if context.files is None:
        return f"Where nothing changes it meanwhile, {uncapitalised(store.copied)}"
    one_node = context.word("job.one_node") == "yes" or context.word("io.pattern") in OF_ONE_RANK
    return f"{store.copied} It is changed, too: copy it back at the end of the job." if one_node else ""


SELDOM = 0.02
"""Syncs for each write below which a transaction makes fifty and more: one of few changes syncs after four or five."""


CHANGED = 0.1
"""Share of the bytes that are written, from which who looks something up sees what others changed meanwhile."""


def _changed_by_several(context: Context) -> bool:
    """How many ranks write it is not known where they read it too."""
    writers = context.number("file.writing_ranks")
    shared = context.word("io.pattern") == "shared-independent" and (writers is None or writers > 1)
    return shared and (context.number("posix.write_fraction") or 0.0) >= CHANGED


def _of_writes(store: Store, context: Context) -> str:
    """Syncs of a whole job are not those of the database."""
    each = None if context.files is None else context.number("sync.per_write")
    if not store.together or each is None or each >= SELDOM:
        return store.writes
    return store.opens if _opens_journal(context) else store.together


def _opens_journal(context: Context) -> bool:
    """Whether the journal is opened as often as by transactions of few changes, which need not sync for that."""
    opens, writes = context.number("posix.opens") or 0.0, context.number("posix.writes") or 0.0
    return (context.file or "").endswith("-journal") and opens > 1 and opens >= SELDOM * writes


def opened_less_often(path: str | None) -> str:
    """What makes a database open its file less often; empty for other files."""
    store = store_of(path)
    return "" if store is None else store.opens


def ask_database_less(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """Fewer opens and stats of a database and its journal, which no call of the program makes; empty of a job with more
    files than these, each rank's where each has its own, and where there are few calls of each."""
    calls, files = context.number("posix.data_opens_and_stats") or 0.0, context.number("file.count") or 1.0
    databases = context.number("job.nprocs") or 1.0 if context.word("io.pattern") in OF_ONE_RANK else 1.0
    others = not opened_less_often(context.file) or files > FILES_OF_A_DATABASE * databases
    if others or calls < MANY_OF_EACH * files:
        return ()
    many = "Make many changes" if context.number("io.bytes_written") else "Ask for much"
    text = f"{many} in one transaction, and keep the connection open: for each the database opens its journal, or asks"
    return (advice(f"{text} whether one is there.", citation=citation),)


FILES_OF_A_DATABASE = 4
"""Itself, a journal or what it writes ahead, and the index of that."""
MANY_OF_EACH = 10
"""Opens and stats of a file from which they are those of transactions, and not of the start."""

_WRITTEN_AHEAD = re.compile(r"(^|/)\d{6}\.log$")


def log_ahead_settings(path: str | None, citation: Citation) -> tuple[Advice, ...]:
    """Advice for a log that a store writes ahead of its tables, by a name that others may give a log, too."""
    if _WRITTEN_AHEAD.search(path or "") is None:
        return ()
    text = (
        "If this is the log that RocksDB or LevelDB writes ahead, as the name suggests: put many changes into one "
        "WriteBatch, and leave sync of WriteOptions off, as it is by default: what was written last is then lost where "
        "the node goes down, and not where the program does. If it is a log of the program's own: sync it once a step, "
        "not after each line."
    )
    return (in_program(text, citation=citation),)


def database_settings(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """Advice for a file of a database, whose pages no call of the program writes; empty for other files."""
    store = store_of(context.file)
    return (store_settings(store, context, citation, reads=False),) if store is not None and store.syncs else ()
