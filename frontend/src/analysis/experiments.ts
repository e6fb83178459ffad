/**
 * The sentences that say what would tell where unexplained time goes, with their commands, and the rates and amounts that
 * choose among them. The same as `iotriage.analysis.experiments.sentences`.
 */

import type { Cell } from '../api/types'

export const NOT_EXPLAINED = 'Not explained: '
export const TRACE = 'Not explained: trace one short run, which shows the calls that take the time.'
export const TRACED = 'export DXT_ENABLE_IO_TRACE=1'
export const TO_TRACE = 'trace one short run'
export const WHICH_SHOWS = ', which shows'
/** What is said instead of the two where the calls are traced already; an experiment is another run. */
export const IN_THE_TRACE = "the timeline of this log's trace shows"
/** Where the trace lacks calls. */
export const TRACE_ALL = 'trace all of one short run'
export const leftOut = (part: string, layer: string) =>
  ` This log's trace has ${part} of the ${layer} I/O: leave out no rank, name or size of call (the files that DXT_TRIGGER_CONF_PATH and DARSHAN_CONFIG_PATH name do), and give Darshan memory for all calls.`
export const ALL_TRACED = ['unset DXT_TRIGGER_CONF_PATH', TRACED, 'export DARSHAN_MODMEM=64'].join('\n')

export type Experiment = readonly [words: string, command: string | null]

/** What would tell where the seconds of a cell go; in the order of the cells. */
export const EXPERIMENTS: Readonly<Record<Exclude<Cell, 'not_split'>, Experiment>> = {
  reads: [TRACE, TRACED],
  writes: [TRACE, TRACED],
  metadata: [
    'Not explained: run it once on one node. If an open then takes as long, the metadata server is slow; if not, the number of ranks makes it so.',
    null,
  ],
  exchange: [
    "Not explained: trace one short run, which shows whether ranks come late to the calls of MPI-IO or the library takes the time. Of Cray's library, MPICH_MPIIO_TIMERS=1 tells the phases.",
    TRACED,
  ],
  streams: [
    'Not explained: give the streams a buffer of 1 MiB (setvbuf) in one run. If that changes nothing, the storage below is slow.',
    null,
  ],
  library: [
    'Not explained: profile one rank by functions, which shows what HDF5 or PnetCDF does between its calls.',
    null,
  ],
  imbalance: [TRACE, TRACED],
}
/** Bytes a second that ARCHER's guide has for a serial writer. */
export const RATE_OF_ONE_PROCESS = 500 * 2 ** 20
/** For reads and writes of one process. */
export const ENOUGH_FOR_ONE: Experiment = [
  "Not explained, and perhaps nothing is wrong: ARCHER's guide has about 500 MiB/s for one process, and this one gets more. Several processes that each move a part get more together; if that cannot be, only less data takes less time.",
  null,
]
/** For metadata calls of which a few took long. */
export const STOOD_STILL: Experiment = [
  'Not explained: a few calls to open or close files took most of that time, and the many others next to none. Run it again: if they are quick then, a server or the network stood still once; tell the support when that was.',
  null,
]
/** For metadata calls of one process: no number of ranks makes them slow. */
export const BY_ONE_PROCESS: Experiment = [
  'Not explained: run it again at another hour. If an open then takes as long, the way to the server and back takes it: let several processes open the files side by side; if not, the server was busy.',
  null,
]
/** For time in MPI-IO that has passed below it, in other ranks' calls. */
export const WAITED_FOR: Experiment = [
  "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. See whether it is long for the bytes: run once with twice as many of these ranks (the hint cb_nodes, or the library's own number of I/O ranks), on Lustre with no more than the file has stripes; if nothing changes, trace one short run.",
  TRACED,
]
/** The same, where there are more of these ranks than stripes. */
export const CROWDED: Experiment = [
  "Not explained: the ranks that call the storage take nearly all of that time, and several of them share each stripe of the file, where they may take one another's locks. Run once with as many of these ranks as the file has stripes (the hint cb_nodes); if nothing changes, trace one short run.",
  TRACED,
]
/** The same, where they are fewer than the stripes by the variance of bytes over ranks. */
export const ONE_A_STRIPE =
  'Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. Run once with as many of these ranks as the file has stripes, {} (the hint cb_nodes); if nothing changes, trace one short run.'
/** The same, where there are as many as stripes. */
export const STRIPES_IN_USE: Experiment = [
  "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. There is one of them for each stripe of the file, and more would take one another's locks: run once with more stripes, in a new directory, if there are more OSTs; if nothing changes, trace one short run.",
  TRACED,
]
/** The same, where there are no more stripes to be had. */
export const OSTS_IN_USE: Experiment = [
  "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. There is one of them or more for each stripe, and the file lies on every OST that there is. Run it again at another hour, for the file system is everybody's; if it takes as long, trace one short run.",
  TRACED,
]
/** The same, where the files are small for their stripes. */
export const LITTLE_EACH: Experiment = [
  'Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. Each of them writes little of a file, so that to begin may take longer than to write: put several steps or variables into one file in one run, or try a quarter of these ranks (the hint cb_nodes), and of the stripes.',
  null,
]
/** Bytes of a file for each of its stripes, below which nobody is sent for more of them. */
export const LITTLE = 16 * 2 ** 20
/** For time in which most ranks do no I/O. */
export const FEW_MOVE: Experiment = [
  "Not explained: few of the ranks move all of the bytes. Whether the others wait for them, no log says. Run once with twice as many of these ranks (the library's own number of I/O ranks); if nothing changes, trace one short run.",
  TRACED,
]
export const FEW_OF_ADIOS: Experiment = [
  'Not explained: few of the ranks move all of the bytes. Whether the others wait for them, no log says. ADIOS2 takes one rank a node unless NumAggregators, a parameter of its BP engines, says otherwise: run once with twice as many; if nothing changes, trace one short run.',
  TRACED,
]
/** Where neither the servers nor the nodes are known well enough to be named. */
export const twoKinds = (slow: string, times: string): Experiment => [
  `Not explained: ${slow} of the ranks that move the bytes take ${times} times as long as the others or longer, for as many bytes. See first what these have in common, the OSTs of their files or their nodes; run it again, and where the same are slow, tell the support.`,
  null,
]
/** Times as long, from which these are two kinds: as `slow-ost` has it. */
export const PACES = 1.5
/** Ranks for each that moves the bytes, from which these are few. */
export const FEW_OF = 8
/** How those begin that ask for another number of ranks that call the storage, or of stripes. */
export const OF_OTHER_MOVERS = [
  ...[WAITED_FOR, CROWDED, STRIPES_IN_USE, FEW_MOVE, FEW_OF_ADIOS].map(([words]) => words),
  ONE_A_STRIPE.slice(0, ONE_A_STRIPE.indexOf('{')),
]
/** Instead of them, where `slower-and-slower` holds: another number is not what the later files lack. */
export const FAST_AT_FIRST: Experiment = [
  'Not explained: find first what slows the later outputs, for the first were fast with the same ranks and stripes. Then see whether what is left is long for the bytes.',
  null,
]
/** The same, where `slow-moment` holds. */
export const FAST_BUT_FOR_A_FEW: Experiment = [
  'Not explained: find first what slowed those few files, for the others were faster with the same ranks and stripes. Then see whether what is left is long for the bytes.',
  null,
]
/** Instead of all others, where `ranks-in-turn` holds: no rate of the job is then that of its storage. */
export const AFTER_THE_TURNS: Experiment = [
  'Not explained: let the ranks move their data at the same time first. Then see whether what is left is long for the bytes.',
  null,
]
/** For what DXT does not trace. */
export const IN_DAOS: Experiment = [
  "Not explained, and Darshan's trace does not have the calls of DAOS: move as much by IOR with its DFS interface, in pieces as large, from as many ranks. If that is no faster, the pool gives no more.",
  'ior -a DFS -w -r -F -t SIZE -b SIZE --dfs.pool POOL --dfs.cont CONTAINER',
]
export const DAOS: readonly unknown[] = ['DFS', 'DAOS']
export const SEVERAL = 2
/** Bytes a second of a large file that is not striped, at most, by ARCHER2's guide. */
export const RATE_OF_ONE_OST = 1e9
export const STRIPES_UNKNOWN: Experiment = [
  "Not explained: one OST gives around 1 GB/s by ARCHER2's guide, and no more passes here. See how the file is striped: where it has one stripe, that is the cause.",
  'lfs getstripe FILE',
]
/** Bytes a second: three quarters of what ARCHER's guide has for one OST. */
export const RATE_OF_BUSY_OST = 375 * 2 ** 20
export const MORE_OSTS: Experiment = [
  "Not explained, but the OSTs in use are busy: each moves the 500 MiB/s or so that ARCHER's guide has for one, or more, and the file system has others. Run once with the files over more of them, by more stripes or more files.",
  null,
]
/** Times the stripes of a shared file; how Lustre's sizes are written. */
export const MORE = 2
export const MIB = 2 ** 20
/** Patterns of files of which each is one rank's. */
export const OWN_FILES: readonly unknown[] = ['file-per-process', 'file-per-node', 'serial']
export const EVERY_OST: Experiment = [
  "Not explained, but every OST is busy: each moves the 500 MiB/s or so that ARCHER's guide has for one, or more. Where yours give no more, only less data takes less time.",
  null,
]
/** Where nobody says how many OSTs there are. */
export const BUSY_OSTS: Experiment = [
  "Not explained, but the OSTs in use are busy: each moves the 500 MiB/s or so that ARCHER's guide has for one, or more. If the file system has others, run once with the files over more of them, by more stripes or more files; if not, only less data takes less time.",
  null,
]
/** Bytes a second in which ARCHER's guide sees no problem, and of an OST that waits. */
export const RATE_WITHOUT_A_PROBLEM = 5 * 2 ** 30
export const RATE_OF_IDLE_OST = 100 * 2 ** 20
export const LARGE_STREAMS: Experiment = [
  "Not explained: the calls to streams are as large as a buffer would make them, and Darshan's trace does not have them. See what the file system gives: run IOR with as many ranks, and calls as large. If that is no faster, the storage gives no more.",
  'ior -a POSIX -F -w -e -t SIZE -b SIZE -o NEW_FILE',
]
/** Bytes of a call to a stream, from which a buffer of 1 MiB gathers nothing. */
export const LARGE_CALL = 2 ** 20
export const WHAT_IT_GIVES =
  "Not explained, and perhaps nothing is wrong: ARCHER's guide sees no problem in more than several GiB/s. See what the file system gives: run IOR with as many ranks, and calls as large. If that is no faster, only less data, or output less often, takes less time; if it is, trace one short run."
export const IOR_OWN = 'ior -a POSIX -F'
export const IOR_SHARED = 'ior -a POSIX'
export const IOR_WRITES = ' -w -e -t SIZE -b SIZE -o NEW_FILE'
export const IOR_READS = ' -w -r -C -e -t SIZE -b SIZE -o NEW_FILE'
export const SEEKS: Experiment = [
  'Not explained: there are far more seeks than opens, and their time is in it. A seek to the end of a file asks the servers how long it is, any other costs next to nothing: where the program seeks to the end, or appends to what others write too, let each rank keep its offset itself (pwrite). This counts the calls and their time:',
  'strace -f -c -e trace=lseek,openat,close ./program',
]
/** Seeks, and for each other metadata call, from which they may be what takes the time. */
export const MANY_SEEKS = 1000
export const SEEKS_FOR_EACH = 10
export const SENT_AT_CLOSE: Experiment = [
  'Not explained: on NFS, what was written is sent at the latest when the file is closed, so that this may be the time of the data and not of opens. Move a few GiB there from one node while the job does not run: if the job is no faster than that, the server or its network gives no more, and a parallel file system does.',
  'dd if=/dev/zero of=NEW_FILE bs=1M count=4096 conv=fsync',
]
/** Elsewhere, where the log has the times of the closes. */
export const IN_CLOSES: Experiment = [
  'Not explained: most of the metadata time passes in closing files that were written, and little in opening them: many file systems send the data then. See what this one gives: run IOR with as many ranks, calls as large, and a sync at the end. If that is no faster, only less data, or output less often, takes less time.',
  'ior -a POSIX -F -w -e -t SIZE -b SIZE -o NEW_FILE',
]
/** Bytes that are worth sending. */
export const SENT = 2 ** 30
export const ON_NFS =
  'Not explained: the largest file lies on NFS, where one server has all nodes to serve. Move a few GiB there from one node while the job does not run: if the job is no faster than that, the server or its network gives no more, and a parallel file system does.'
export const ON_A_DISK =
  'Not explained: the largest file lies on a disk of the node, which few can reach when the job is over. At the end of the job script, when the program is done, move a few GiB there by one process: if the ranks of a node are together no faster than that, the disk gives no more.'
/** A mount point that a sentence can name as it stands. */
export const PLAIN_PATH = /^\/[A-Za-z0-9_./+-]{1,200}$/
/** By the type of the mount: what all bytes there share. */
export const OF_ONE_DEVICE: ReadonlyMap<unknown, string> = new Map([
  ...['nfs', 'nfs3', 'nfs4'].map((type) => [type, ON_NFS] as const),
  ...['ext3', 'ext4', 'xfs', 'btrfs'].map((type) => [type, ON_A_DISK] as const),
])
export const READ_IT = 'dd if=FILE of=/dev/null bs=1M'
export const WRITE_IT = 'dd if=/dev/zero of=NEW_FILE bs=1M count=4096 conv=fsync'
export const TARGETS: Experiment = [
  'Not explained: on BeeGFS a shared file is as fast as the storage targets that it is striped over. See how many these are, and how many there are.',
  'beegfs-ctl --getentryinfo FILE\nbeegfs-ctl --listtargets --nodetype=storage',
]
/** What a look at the file tells, without another run. */
export const LOOKED_AT: readonly string[] = [STRIPES_UNKNOWN[0], TARGETS[0]]
/** Where a command has a file, and a name that a shell takes as it is. */
export const PLACE = /\bFILE\b/g
export const PLAIN = /^\/[\w@%+=:,./-]+$/
/** For time in HDF5 that moves more above than below. */
export const FILTERED: Experiment = [
  'Not explained by the storage: HDF5 moves far fewer bytes below than the program reads and writes, so it compresses or decompresses them (or converts them, or has them in its cache: a profile of one rank by functions tells). Then a lighter filter takes less time (LZ4 or Blosc, to write also H5Pset_deflate with level 1), and so do chunks that fit the accesses, or more processes that share the work.',
  null,
]
/** For reads that go back and forth, and that the page cache answers. */
export const FROM_MEMORY: Experiment = [
  'Not explained by the storage: a read takes less than 10 µs, so memory of the node answers it, and what is left is the cost of so many calls. Where the program can, map the file into memory (mmap), so that a read is no call.',
  null,
]
/** Seconds of an access that memory answers, at most; and of the accesses, the share that goes back in the file from which
 * no reading ahead has brought them. */
export const MEMORY_S = 1e-5
export const GO_BACK = 0.2
/** Bytes that the program moves through HDF5, for each that is moved below, from which these are not the same bytes. */
export const FILTERS = 2
const LOGGED =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell expands it.
  'module load darshan-runtime\nexport LD_PRELOAD="${DARSHAN_PRELOAD:-$DARSHAN_ROOT/lib/libdarshan.so}"'
/** Where the times are those of texts, which count no calls. */
export const NO_LOG: Experiment = [
  'Not explained: a Darshan log of one run, with its trace, shows the calls that take the time.',
  `${LOGGED}\n${TRACED}`,
]
export const ASK_PHASES: Experiment = [
  'Not explained: Cray MPICH prints in which of its phases the time in MPI-IO passes.',
  'export MPICH_MPIIO_STATS=1\nexport MPICH_MPIIO_TIMERS=1',
]
export const PHASES_KNOWN: Experiment = [
  'Not explained: trace one short run, which shows whether ranks come late to the calls of MPI-IO or the library takes the time.',
  TRACED,
]
/** As MPICH_MPIIO_TIMERS prints them. */
export const PHASES = [
  ['timers.wait_for_coll_fraction', 'wait for coll'],
  ['timers.imbalance_fraction', 'imbalance'],
  ['timers.open_close_fraction', 'open/close/trunc'],
  ['timers.local_compute_fraction', 'local compute'],
  ['timers.collective_fraction', 'collective'],
  ['timers.exchange_fraction', 'exchange'],
  ['timers.data_send_fraction', 'data send'],
  ['timers.data_receive_fraction', 'data receive'],
  ['timers.sieve_read_fraction', 'sieve read'],
  ['timers.file_write_fraction', 'file write'],
  ['timers.file_read_fraction', 'file read'],
  ['timers.other_fraction', 'other'],
] as const
export const WORTH_A_NAME = 0.1
export const MOST_NAMED = 2
/** The ranks that access the file take most of the time in MPI-IO for it. */
export const ACCESS = ['timers.file_write_fraction', 'timers.file_read_fraction']
export const MOSTLY_ACCESS = 0.5
/** The slowest rank's time in MPI-IO over that in the calls below: under twice, most of it passed there. */
export const OVER_STORAGE = 'mpiio.to_posix_time'
export const PASSED_BELOW = 2
