/**
 * What no finding claims of the account: how long it takes, at what rates, and what would tell where it goes. The same as
 * `iotriage.analysis.unexplained`; both are held to one file of vectors.
 */

import type { Account, Cell, Unexplained } from '../api/types'
import { inPlainWords } from '../format'
import { allotted, type Basis, CELLS, shortestRanked, total } from './allotment'
import type { Answer, InForce } from './condition'
import type { Finding } from './decided'
import type { Metrics } from './metrics'

const FRACTION = 'io-not-the-bottleneck.fraction'
const TIME = 'io-not-the-bottleneck.time'
const NOT_EXPLAINED = 'Not explained: '
export const TRACE = 'Not explained: trace one short run, which shows the calls that take the time.'
export const TRACED = 'export DXT_ENABLE_IO_TRACE=1'

type Experiment = readonly [words: string, command: string | null]

/** What would tell where the seconds of a cell go; in the order of the cells. */
const EXPERIMENTS: Readonly<Record<Exclude<Cell, 'not_split'>, Experiment>> = {
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
/** For metadata calls of one process: no number of ranks makes them slow. */
const BY_ONE_PROCESS: Experiment = [
  'Not explained: run it again at another hour. If an open then takes as long, the way to the server and back takes it: let several processes open the files side by side; if not, the server was busy.',
  null,
]
/** For time in MPI-IO that has passed below it, in other ranks' calls. */
const WAITED_FOR: Experiment = [
  "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. See whether it is long for the bytes: run once with twice as many of these ranks (the hint cb_nodes, or the library's own number of I/O ranks), on Lustre with no more than the file has stripes; if nothing changes, trace one short run.",
  TRACED,
]
/** The same, where there are more of these ranks than stripes. */
const CROWDED: Experiment = [
  "Not explained: the ranks that call the storage take nearly all of that time, and several of them share each stripe of the file, where they may take one another's locks. Run once with as many of these ranks as the file has stripes (the hint cb_nodes); if nothing changes, trace one short run.",
  TRACED,
]
/** The same, where they are fewer than the stripes by the variance of bytes over ranks. */
const ONE_A_STRIPE =
  'Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. Run once with as many of these ranks as the file has stripes, {} (the hint cb_nodes); if nothing changes, trace one short run.'
/** The same, where there are as many as stripes. */
const STRIPES_IN_USE: Experiment = [
  "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. There is one of them for each stripe of the file, and more would take one another's locks: run once with more stripes, in a new directory, if there are more OSTs; if nothing changes, trace one short run.",
  TRACED,
]
/** The same, where there are no more stripes to be had. */
const OSTS_IN_USE: Experiment = [
  "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. There is one of them or more for each stripe, and the file lies on every OST that there is. Run it again at another hour, for the file system is everybody's; if it takes as long, trace one short run.",
  TRACED,
]
/** For time in which most ranks do no I/O. */
const FEW_MOVE: Experiment = [
  "Not explained: few of the ranks move all of the bytes. Whether the others wait for them, no log says. Run once with twice as many of these ranks (the library's own number of I/O ranks); if nothing changes, trace one short run.",
  TRACED,
]
const FEW_OF_ADIOS: Experiment = [
  'Not explained: few of the ranks move all of the bytes. Whether the others wait for them, no log says. ADIOS2 takes one rank a node unless NumAggregators, a parameter of its BP engines, says otherwise: run once with twice as many; if nothing changes, trace one short run.',
  TRACED,
]
/** Ranks for each that moves the bytes, from which these are few. */
const FEW_OF = 8
/** How those begin that ask for another number of ranks that call the storage, or of stripes. */
const OF_OTHER_MOVERS = [
  ...[WAITED_FOR, CROWDED, STRIPES_IN_USE, FEW_MOVE, FEW_OF_ADIOS].map(([words]) => words),
  ONE_A_STRIPE.slice(0, ONE_A_STRIPE.indexOf('{')),
]
/** Instead of them, where `slower-and-slower` holds: another number is not what the later files lack. */
const FAST_AT_FIRST: Experiment = [
  'Not explained: find first what slows the later outputs, for the first were fast with the same ranks and stripes. Then see whether what is left is long for the bytes.',
  null,
]
/** For what DXT does not trace. */
const IN_DAOS: Experiment = [
  "Not explained, and Darshan's trace does not have the calls of DAOS: move as much by IOR with its DFS interface, in pieces as large, from as many ranks. If that is no faster, the pool gives no more.",
  'ior -a DFS -w -r -F -t SIZE -b SIZE --dfs.pool POOL --dfs.cont CONTAINER',
]
const DAOS: readonly unknown[] = ['DFS', 'DAOS']
const SEVERAL = 2
/** Bytes a second of a large file that is not striped, at most, by ARCHER2's guide. */
export const RATE_OF_ONE_OST = 1e9
export const STRIPES_UNKNOWN: Experiment = [
  "Not explained: one OST gives around 1 GB/s by ARCHER2's guide, and no more passes here. See how the file is striped: where it has one stripe, that is the cause.",
  'lfs getstripe FILE',
]
/** Bytes a second: three quarters of what ARCHER's guide has for one OST. */
const RATE_OF_BUSY_OST = 375 * 2 ** 20
const MORE_OSTS: Experiment = [
  "Not explained, but the OSTs in use are busy: each moves the 500 MiB/s or so that ARCHER's guide has for one, or more, and the file system has others. Run once with the files over more of them, by more stripes or more files.",
  null,
]
const EVERY_OST: Experiment = [
  "Not explained, but every OST is busy: each moves the 500 MiB/s or so that ARCHER's guide has for one, or more. Where yours give no more, only less data takes less time.",
  null,
]
/** Where nobody says how many OSTs there are. */
const BUSY_OSTS: Experiment = [
  "Not explained, but the OSTs in use are busy: each moves the 500 MiB/s or so that ARCHER's guide has for one, or more. If the file system has others, run once with the files over more of them, by more stripes or more files; if not, only less data takes less time.",
  null,
]
/** Bytes a second in which ARCHER's guide sees no problem, and of an OST that waits. */
const RATE_WITHOUT_A_PROBLEM = 5 * 2 ** 30
const RATE_OF_IDLE_OST = 100 * 2 ** 20
const WHAT_IT_GIVES =
  "Not explained, and perhaps nothing is wrong: ARCHER's guide sees no problem in more than several GiB/s. See what the file system gives: run IOR with as many ranks, and calls as large. If that is no faster, only less data, or output less often, takes less time; if it is, trace one short run."
const IOR_OWN = 'ior -a POSIX -F'
const IOR_SHARED = 'ior -a POSIX'
const IOR_WRITES = ' -w -e -t SIZE -b SIZE -o NEW_FILE'
const IOR_READS = ' -w -r -C -e -t SIZE -b SIZE -o NEW_FILE'
const SEEKS: Experiment = [
  'Not explained: there are far more seeks than opens, and their time is in it. A seek to the end of a file asks the servers how long it is, any other costs next to nothing: where the program seeks to the end, or appends to what others write too, let each rank keep its offset itself (pwrite). This counts the calls and their time:',
  'strace -f -c -e trace=lseek,openat,close ./program',
]
/** Seeks, and for each other metadata call, from which they may be what takes the time. */
const MANY_SEEKS = 1000
const SEEKS_FOR_EACH = 10
const SENT_AT_CLOSE: Experiment = [
  'Not explained: on NFS, what was written is sent at the latest when the file is closed, so that this may be the time of the data and not of opens. Move a few GiB there from one node while the job does not run: if the job is no faster than that, the server or its network gives no more, and a parallel file system does.',
  'dd if=/dev/zero of=NEW_FILE bs=1M count=4096 conv=fsync',
]
/** Elsewhere, where the log has the times of the closes. */
const IN_CLOSES: Experiment = [
  'Not explained: most of the metadata time passes in closing files that were written, and little in opening them: many file systems send the data then. See what this one gives: run IOR with as many ranks, calls as large, and a sync at the end. If that is no faster, only less data, or output less often, takes less time.',
  'ior -a POSIX -F -w -e -t SIZE -b SIZE -o NEW_FILE',
]
/** Bytes that are worth sending. */
const SENT = 2 ** 30
const ON_NFS =
  'Not explained: the largest file lies on NFS, where one server has all nodes to serve. Move a few GiB there from one node while the job does not run: if the job is no faster than that, the server or its network gives no more, and a parallel file system does.'
const ON_A_DISK =
  'Not explained: the largest file lies on a disk of the node, which few can reach when the job is over. At the end of the job script, when the program is done, move a few GiB there by one process: if the ranks of a node are together no faster than that, the disk gives no more.'
/** A mount point that a sentence can name as it stands. */
const PLAIN_PATH = /^\/[A-Za-z0-9_./+-]{1,200}$/
/** By the type of the mount: what all bytes there share. */
const OF_ONE_DEVICE: ReadonlyMap<unknown, string> = new Map([
  ...['nfs', 'nfs3', 'nfs4'].map((type) => [type, ON_NFS] as const),
  ...['ext3', 'ext4', 'xfs', 'btrfs'].map((type) => [type, ON_A_DISK] as const),
])
const READ_IT = 'dd if=FILE of=/dev/null bs=1M'
const WRITE_IT = 'dd if=/dev/zero of=NEW_FILE bs=1M count=4096 conv=fsync'
const TARGETS: Experiment = [
  'Not explained: on BeeGFS a shared file is as fast as the storage targets that it is striped over. See how many these are, and how many there are.',
  'beegfs-ctl --getentryinfo FILE\nbeegfs-ctl --listtargets --nodetype=storage',
]
/** What a look at the file tells, without another run. */
export const LOOKED_AT: readonly string[] = [STRIPES_UNKNOWN[0], TARGETS[0]]
/** Where a command has a file, and a name that a shell takes as it is. */
const PLACE = /\bFILE\b/g
const PLAIN = /^\/[\w@%+=:,./-]+$/
/** For time in HDF5 that moves more above than below. */
const FILTERED: Experiment = [
  'Not explained by the storage: HDF5 moves far fewer bytes below than the program reads and writes, so it compresses or decompresses them (or converts them, or has them in its cache: a profile of one rank by functions tells). Then a lighter filter takes less time (LZ4 or Blosc, to write also H5Pset_deflate with level 1), and so do chunks that fit the accesses, or more processes that share the work.',
  null,
]
/** For reads that go back and forth, and that the page cache answers. */
const FROM_MEMORY: Experiment = [
  'Not explained by the storage: a read takes less than 10 µs, so memory of the node answers it, and what is left is the cost of so many calls. Where the program can, map the file into memory (mmap), so that a read is no call.',
  null,
]
/** Seconds of an access that memory answers, at most; and of the accesses, the share that goes back in the file from which
 * no reading ahead has brought them. */
const MEMORY_S = 1e-5
const GO_BACK = 0.2
/** Bytes that the program moves through HDF5, for each that is moved below, from which these are not the same bytes. */
const FILTERS = 2
const LOGGED =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell expands it.
  'module load darshan-runtime\nexport LD_PRELOAD="${DARSHAN_PRELOAD:-$DARSHAN_ROOT/lib/libdarshan.so}"'
/** Where the times are those of texts, which count no calls. */
export const NO_LOG: Experiment = [
  'Not explained: a Darshan log of one run, with its trace, shows the calls that take the time.',
  `${LOGGED}\n${TRACED}`,
]
const ASK_PHASES: Experiment = [
  'Not explained: Cray MPICH prints in which of its phases the time in MPI-IO passes.',
  'export MPICH_MPIIO_STATS=1\nexport MPICH_MPIIO_TIMERS=1',
]
const PHASES_KNOWN: Experiment = [
  'Not explained: trace one short run, which shows whether ranks come late to the calls of MPI-IO or the library takes the time.',
  TRACED,
]
/** As MPICH_MPIIO_TIMERS prints them. */
const PHASES = [
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
const WORTH_A_NAME = 0.1
const MOST_NAMED = 2
/** The ranks that access the file take most of the time in MPI-IO for it. */
const ACCESS = ['timers.file_write_fraction', 'timers.file_read_fraction']
const MOSTLY_ACCESS = 0.5
/** The slowest rank's time in MPI-IO over that in the calls below: under twice, most of it passed there. */
const OVER_STORAGE = 'mpiio.to_posix_time'
const PASSED_BELOW = 2
const SPLIT = CELLS.filter((cell) => cell !== 'not_split')

/** OSTs that files which are written one after the other have in use, where `file.osts` has all of them. */
const AT_ONCE = 'file.stripes_at_once'
const EACH = [
  ['rank', ['job.nprocs']],
  ['node', ['job.nnodes']],
  ['OST', [AT_ONCE, 'file.osts']],
] as const

/** What is left when all findings have their seconds; null where there is no account. */
export function unexplainedOf(
  findings: readonly Finding[],
  basis: Basis,
  significant: Answer,
): Unexplained | null {
  const found = allotted(findings, basis)
  if (!found || !basis.account) return null
  const { left } = found
  const seconds = total(left, SPLIT)
  const of = total(basis.account.cells, SPLIT)
  const long = significant === true || (significant === null && basis.account.runtime_s === null)
  const tells = long && seconds >= matters(basis.account, basis.thresholds)
  const most = SPLIT.reduce((a, b) => (left[b] > left[a] ? b : a))
  const slower = findings.some((f) => f.rule === 'slower-and-slower' && f.verdict === 'triggered')
  const [experiment, command] = tells
    ? afterSlower(slower, experimentOf(most, basis.metrics, seconds, basis.account.basis))
    : [null, null]
  const share = of > 1e-9 ? seconds / of : 0
  return { seconds, share, cells: left, rates: ratesOf(basis.metrics), experiment, command }
}

function afterSlower(slower: boolean, experiment: Experiment): Experiment {
  return slower && OF_OTHER_MOVERS.some((asks) => experiment[0].startsWith(asks)) ? FAST_AT_FIRST : experiment
}

/** Whether a log has the times, and not a text. */
export const isLogged = (source: Account['basis']) => source === 'Darshan' || source === 'darshan-parser'

/** What would tell where the unexplained `seconds`, most of them of a cell, go, and its command, for the largest file
 * where its name is known. `source` has the times: what traces a run whose log is there is not all that makes a log of
 * another. */
export function experimentOf(
  cell: Exclude<Cell, 'not_split'>,
  metrics: Metrics,
  seconds: number,
  source: Account['basis'],
): Experiment {
  const [words, command] = experimentAsIs(cell, metrics, seconds, source)
  const name = metrics['file.largest']?.value
  if (command === null || typeof name !== 'string' || !PLAIN.test(name)) return [words, command]
  return [words, command.replace(PLACE, () => name)]
}

function experimentAsIs(
  cell: Exclude<Cell, 'not_split'>,
  metrics: Metrics,
  seconds: number,
  source: Account['basis'],
): Experiment {
  if ((cell === 'reads' || cell === 'writes' || cell === 'exchange') && asOneOst(cell, metrics, seconds))
    return STRIPES_UNKNOWN
  const traced = cell === 'reads' || cell === 'writes' || cell === 'imbalance'
  if (traced && DAOS.includes(metrics['io.layer']?.value)) return IN_DAOS
  const logged = isLogged(source)
  const below = cell === 'exchange' && passedBelow(metrics)
  if (cell === 'reads' && fromMemory(metrics)) return FROM_MEMORY
  if (cell === 'reads' || cell === 'writes' || cell === 'imbalance' || below) {
    const tells = ofBusyOsts(metrics) ?? byMount(cell, metrics)
    // More ranks that write use more OSTs, if there are others.
    if (tells && !(tells === BUSY_OSTS && cell === 'imbalance' && fewMove(metrics))) return tells
  }
  if (cell === 'library' && (moreAbove('read', metrics) || moreAbove('written', metrics))) return FILTERED
  if (cell === 'imbalance' && fewMove(metrics))
    return metrics['file.subfiles_of']?.value === 'ADIOS2' ? FEW_OF_ADIOS : FEW_MOVE
  if (cell === 'metadata' && mostlySeeks(metrics)) return SEEKS
  if (cell === 'metadata' && sentAtClose(metrics)) return SENT_AT_CLOSE
  if (cell === 'metadata' && metrics['posix.metadata_mostly']?.value === 'closes') return IN_CLOSES
  if (
    cell === 'metadata' &&
    (metrics['job.nprocs']?.value === 1 || metrics['io.pattern']?.value === 'serial')
  )
    return BY_ONE_PROCESS
  if (cell === 'exchange') {
    if (below) {
      const waited = waitedFor(metrics)
      return logged ? waited : [waited[0], NO_LOG[1]]
    }
    if (source === 'CrayPAT') return ASK_PHASES
    if (logged && typeof metrics['timers.weight']?.value === 'number')
      return withPhases(PHASES_KNOWN, metrics)
  }
  if (logged && (cell === 'reads' || cell === 'writes') && withoutAProblem(metrics)) {
    const own = metrics['io.pattern']?.value === 'file-per-process'
    return [WHAT_IT_GIVES, (own ? IOR_OWN : IOR_SHARED) + (cell === 'reads' ? IOR_READS : IOR_WRITES)]
  }
  return logged || cell === 'metadata' ? EXPERIMENTS[cell] : withPhases(NO_LOG, metrics)
}

/** With the largest phases that the library printed: nobody is asked for a log to learn what stands in the text. */
function withPhases([words, command]: Experiment, metrics: Metrics): Experiment {
  const named = PHASES.map(([id, name]) => ({ part: metrics[id]?.value, name }))
    .flatMap(({ part, name }) => (typeof part === 'number' && part >= WORTH_A_NAME ? [{ part, name }] : []))
    .sort((a, b) => b.part - a.part)
    .slice(0, MOST_NAMED)
    .map(({ part, name }) => `${inPlainWords(part, 'share')} as ${name}`)
    .join(' and ')
  if (!named) return [words, command]
  const asked = words.slice(NOT_EXPLAINED.length)
  const of = `${NOT_EXPLAINED}of the time in MPI-IO, MPICH_MPIIO_TIMERS prints ${named}.`
  return [`${of} ${asked.charAt(0).toUpperCase()}${asked.slice(1)}`, command]
}

const known = (metrics: Metrics, id: string): number | null => {
  const value = metrics[id]?.value
  return typeof value === 'number' ? value : null
}

/** Bytes a second of each OST that is in use at once. */
function rateOfAnOst(metrics: Metrics): number | null {
  const [rate, used] = [
    known(metrics, 'io.bandwidth'),
    known(metrics, AT_ONCE) ?? known(metrics, 'file.osts'),
  ]
  return rate && used ? rate / used : null
}

/** Where the OSTs of the files move as much as they can: whether there are others. */
function ofBusyOsts(metrics: Metrics): Experiment | null {
  const each = rateOfAnOst(metrics)
  if (each === null || each < RATE_OF_BUSY_OST) return null
  const [used, every] = [known(metrics, 'file.osts'), known(metrics, 'file.stripes_possible')]
  if (used === null || every === null) return BUSY_OSTS
  return used < every ? MORE_OSTS : EVERY_OST
}

/** Whether the job moves more than several GiB/s, and its OSTs, where they are known, are not idle beside that. */
function withoutAProblem(metrics: Metrics): boolean {
  const [rate, each] = [known(metrics, 'io.bandwidth'), rateOfAnOst(metrics)]
  return rate !== null && rate >= RATE_WITHOUT_A_PROBLEM && (each === null || each >= RATE_OF_IDLE_OST)
}

/** Whether nearly all metadata calls that are counted are seeks. */
function mostlySeeks(metrics: Metrics): boolean {
  const count = (call: string) => known(metrics, `posix.${call}`) ?? 0
  return count('seeks') >= Math.max(MANY_SEEKS, SEEKS_FOR_EACH * (count('opens') + count('stats')))
}

/** Whether so much was written to NFS that closing the files may be what sends it. */
function sentAtClose(metrics: Metrics): boolean {
  return onOneServer(metrics) && (known(metrics, 'io.bytes_written') ?? 0) >= SENT
}

/** Whether the largest file is on NFS, and no more passes than one server gives: some give NFS by many servers. */
function onOneServer(metrics: Metrics): boolean {
  const onNfs = OF_ONE_DEVICE.get(metrics['file.mount_type']?.value) === ON_NFS
  return onNfs && (known(metrics, 'io.bandwidth') ?? 0) < RATE_WITHOUT_A_PROBLEM
}

/** What tells most on the kind of file system that the largest file is on; null where the calls do. */
function byMount(cell: Cell, metrics: Metrics): Experiment | null {
  const mount = metrics['file.mount_type']?.value
  const device = OF_ONE_DEVICE.get(mount)
  if (device && (device !== ON_NFS || onOneServer(metrics)))
    return [device + instead(device, metrics), cell === 'reads' ? READ_IT : WRITE_IT]
  const shared = String(metrics['io.pattern']?.value).startsWith('shared-')
  return shared && typeof mount === 'string' && mount.startsWith('beegfs') ? TARGETS : null
}

/** Whether accesses that go back and forth take less time than any storage does. */
function fromMemory(metrics: Metrics): boolean {
  const [took, back] = ['posix.call_time', 'posix.random_fraction'].map((id) => metrics[id]?.value)
  return typeof took === 'number' && typeof back === 'number' && took < MEMORY_S && back > GO_BACK
}

/** Whether the program moves more bytes through HDF5 than all that is moved below, of which none is missing. */
function moreAbove(way: 'read' | 'written', metrics: Metrics): boolean {
  const above = metrics[`hdf5.bytes_${way}`]?.value
  const below = metrics[`io.bytes_${way}`]
  if (typeof above !== 'number' || typeof below?.value !== 'number' || below.bound !== null) return false
  return below.value > 0 && above >= FILTERS * below.value
}

/** The job's parallel file system, where the files lie on a disk of the node. */
function instead(device: string, metrics: Metrics): string {
  const there = metrics['job.work_directory']?.value
  if (device !== ON_A_DISK || typeof there !== 'string' || !PLAIN_PATH.test(there)) return ''
  return ` Then run once with these files on ${there}.`
}

/** Of the ranks that move the bytes for each stripe, from which there is one: a variance gives a little less. */
const NEARLY_ONE = 0.9

/** More aggregators than stripes take one another's locks, unless they are locked otherwise: nobody is sent to try
 * that. */
function waitedFor(metrics: Metrics): Experiment {
  const mode = metrics['hints.lock_mode']?.value
  if (shareStripes(metrics) && !(typeof mode === 'number' && mode >= 1)) return CROWDED
  const [stripes, each, movers] = [
    'file.stripe_count',
    'mpiio.movers_per_stripe',
    'mpiio.effective_aggregators',
  ].map((id) => metrics[id]?.value)
  if (metrics['io.pattern']?.value !== 'shared-collective') return WAITED_FOR
  if (typeof stripes !== 'number' || stripes < SEVERAL) return WAITED_FOR
  const ofEach = typeof each === 'number' ? each : typeof movers === 'number' ? movers / stripes : null
  if (ofEach === null) return WAITED_FOR
  if (ofEach >= NEARLY_ONE) return metrics['file.other_osts']?.value === 'none' ? OSTS_IN_USE : STRIPES_IN_USE
  return [ONE_A_STRIPE.replace('{}', stripes.toFixed(0)), TRACED]
}

/** Whether several of the ranks that move the bytes of one shared file share each of its stripes. */
function shareStripes(metrics: Metrics): boolean {
  const each = metrics['mpiio.movers_per_stripe']?.value
  return typeof each === 'number' && each >= SEVERAL && metrics['io.pattern']?.value === 'shared-collective'
}

/** Whether several ranks move the bytes, and most of the others none. */
function fewMove(metrics: Metrics): boolean {
  const [ranks, movers] = ['job.nprocs', 'balance.movers'].map((id) => metrics[id]?.value)
  return typeof ranks === 'number' && typeof movers === 'number' && 1 < movers && movers <= ranks / FEW_OF
}

/** Whether most of the time in MPI-IO passed in the calls to the storage of those ranks that make some. */
function passedBelow(metrics: Metrics): boolean {
  const ratio = metrics[OVER_STORAGE]?.value
  if (typeof ratio === 'number' && ratio < PASSED_BELOW) return true
  return ACCESS.reduce((sum, id) => sum + Number(metrics[id]?.value ?? 0), 0) >= MOSTLY_ACCESS
}

/** Whether a shared file on Lustre, whose stripes nobody states, is moved no faster than one OST gives: all bytes in all
 * the time of I/O, or those written in the `seconds` that are left where reading has its own cause. */
function asOneOst(cell: Cell, metrics: Metrics, seconds: number): boolean {
  const pattern = metrics['io.pattern']?.value
  const shared = typeof pattern === 'string' && pattern.startsWith('shared-')
  const striped = typeof metrics['file.stripe_count']?.value === 'number'
  if (!shared || striped || metrics['file.mount_type']?.value !== 'lustre') return false
  const rate = metrics['io.bandwidth']?.value
  const written = metrics['io.bytes_written']?.value
  const slow = (one: unknown) => typeof one === 'number' && one <= RATE_OF_ONE_OST
  if (slow(rate)) return true
  return (
    cell !== 'reads' && typeof written === 'number' && written > 0 && seconds > 0 && slow(written / seconds)
  )
}

/** Seconds from which somebody should look for their cause: those that rank, and the share of the run from which I/O is
 * a bottleneck; where nobody says how long the run was, the time from which I/O is long in itself. */
function matters({ runtime_s }: Account, thresholds: InForce): number {
  const least = runtime_s === null ? thresholds[TIME]?.value : (thresholds[FRACTION]?.value ?? 0) * runtime_s
  return Math.max(shortestRanked(thresholds), least ?? 0)
}

/** The job's rate for each rank, node and OST that is known: for each rank that moves the bytes, where others move none. */
export function ratesOf(metrics: Metrics): Unexplained['rates'] {
  const [rate, ranks, movers] = ['io.bandwidth', 'job.nprocs', 'balance.movers'].map(
    (id) => metrics[id]?.value,
  )
  if (typeof rate !== 'number') return []
  const few =
    typeof movers === 'number' && typeof ranks === 'number' && movers > 0 && movers <= ranks / SEVERAL
  return EACH.flatMap(([of, names]) => {
    const first = names.map((id) => known(metrics, id)).find((value) => value !== null)
    const count = few && of === 'rank' ? movers : first
    return typeof count === 'number' && count > 0 ? [{ of, count, bytes_per_s: rate / count }] : []
  })
}

/** The rank, or those that move the bytes. */
export function whom({ of, count }: Unexplained['rates'][number], ranks: number | null): string {
  if (of !== 'rank' || ranks === null || count >= ranks) return of
  return `rank that moves the bytes (${inPlainWords(Math.round(count), '1')} of ${inPlainWords(ranks, '1')})`
}
