/**
 * What no finding claims of the account: how long it takes, at what rates, and what would tell where it goes. The same as
 * `iotriage.analysis.decision.unexplained`; both are held to one file of vectors.
 */

import type { Account, Cell, Unexplained } from '../api/types'
import { inPlainWords } from '../format'
import { allotSeconds, type Basis, CELLS, shortestRanked, total } from './allotment'
import type { Finding } from './caseDocument'
import type { Answer, InForce } from './condition'
import {
  ACCESS,
  AFTER_THE_TURNS,
  ALL_TRACED,
  ASK_PHASES,
  BUSY_OSTS,
  BY_ONE_PROCESS,
  CROWDED,
  DAOS,
  ENOUGH_FOR_ONE,
  EVERY_OST,
  EXPERIMENTS,
  type Experiment,
  FAST_AT_FIRST,
  FAST_BUT_FOR_A_FEW,
  FEW_MOVE,
  FEW_OF,
  FEW_OF_ADIOS,
  FILTERED,
  FILTERS,
  FROM_MEMORY,
  GO_BACK,
  IN_CLOSES,
  IN_DAOS,
  IN_THE_TRACE,
  IOR_OWN,
  IOR_READS,
  IOR_SHARED,
  IOR_WRITES,
  LARGE_CALL,
  LARGE_STREAMS,
  LITTLE,
  LITTLE_EACH,
  leftOut,
  MANY_SEEKS,
  MEMORY_S,
  MIB,
  MORE,
  MORE_OSTS,
  MOST_NAMED,
  MOSTLY_ACCESS,
  NO_LOG,
  NOT_EXPLAINED,
  OF_ONE_DEVICE,
  OF_OTHER_MOVERS,
  ON_A_DISK,
  ON_NFS,
  ONE_A_STRIPE,
  OSTS_IN_USE,
  OVER_STORAGE,
  OWN_FILES,
  PACES,
  PASSED_BELOW,
  PHASES,
  PHASES_KNOWN,
  PLACE,
  PLAIN,
  PLAIN_PATH,
  RATE_OF_BUSY_OST,
  RATE_OF_IDLE_OST,
  RATE_OF_ONE_OST,
  RATE_OF_ONE_PROCESS,
  RATE_WITHOUT_A_PROBLEM,
  READ_IT,
  SEEKS,
  SEEKS_FOR_EACH,
  SENT,
  SENT_AT_CLOSE,
  SEVERAL,
  STOOD_STILL,
  STRIPES_IN_USE,
  STRIPES_UNKNOWN,
  TARGETS,
  TO_TRACE,
  TRACE_ALL,
  TRACED,
  twoKinds,
  WAITED_FOR,
  WHAT_IT_GIVES,
  WHICH_SHOWS,
  WORTH_A_NAME,
  WRITE_IT,
} from './experiments'
import type { Metrics } from './metrics'

const FRACTION = 'io-not-the-bottleneck.fraction'
const TIME = 'io-not-the-bottleneck.time'
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
  const found = allotSeconds(findings, basis)
  if (!found || !basis.account) return null
  const { left } = found
  const seconds = total(left, SPLIT)
  const of = total(basis.account.cells, SPLIT)
  const long = significant === true || (significant === null && basis.account.runtime_s === null)
  const tells = long && seconds >= matters(basis.account, basis.thresholds)
  const most = SPLIT.reduce((a, b) => (left[b] > left[a] ? b : a))
  const holds = (rule: string) => findings.some((f) => f.rule === rule && f.verdict === 'triggered')
  const inTurn = holds('ranks-in-turn')
  const asked = inTurn
    ? AFTER_THE_TURNS
    : afterWhatSlows(
        holds,
        experimentOf(most, butWhatIsTold(holds, basis.metrics), seconds, basis.account.basis),
      )
  const [experiment, command] = tells ? asked : [null, null]
  const share = of > 1e-9 ? seconds / of : 0
  const rates = inTurn ? [] : ratesOf(basis.metrics)
  return { seconds, share, cells: left, rates, experiment, command }
}

const PACES_OF_RANKS = 'balance.two_paces'
const WHO_IS_SLOW = ['slow-ost', 'crowded-ost', 'straggler-rank']

/** Where a finding says which ranks are slow and why, nobody is sent to see what they have in common. */
function butWhatIsTold(holds: (rule: string) => boolean, metrics: Metrics): Metrics {
  if (!WHO_IS_SLOW.some(holds)) return metrics
  return Object.fromEntries(Object.entries(metrics).filter(([id]) => id !== PACES_OF_RANKS))
}

/** Who is to try other ranks or stripes finds first why some files were slower with the same. */
function afterWhatSlows(holds: (rule: string) => boolean, experiment: Experiment): Experiment {
  if (!OF_OTHER_MOVERS.some((asks) => experiment[0].startsWith(asks))) return experiment
  if (holds('slower-and-slower')) return FAST_AT_FIRST
  return holds('slow-moment') ? FAST_BUT_FOR_A_FEW : experiment
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
  const [words, command] = unlessTraced(experimentAsIs(cell, metrics, seconds, source), metrics)
  const name = metrics['file.largest']?.value
  if (command === null || typeof name !== 'string' || !PLAIN.test(name)) return [words, command]
  return [words, command.replace(PLACE, () => name)]
}

/** Who has traced the run is to look at the trace, and not to trace another; who has traced a part of it, to trace
 * all. */
export function unlessTraced(experiment: Experiment, metrics: Metrics): Experiment {
  const [words, command] = experiment
  const traced = metrics['io.traced']?.value
  if (command !== TRACED || !words.includes(TO_TRACE)) return experiment
  const shows = TO_TRACE + WHICH_SHOWS
  if (traced === 'yes')
    return words.includes(shows) ? [words.replaceAll(shows, IN_THE_TRACE), null] : experiment
  if (traced !== 'in part') return experiment
  const part = known(metrics, 'io.traced_fraction')
  const layer = metrics['io.traced_least']?.value
  const missing =
    part !== null && typeof layer === 'string' ? leftOut(inPlainWords(part, 'share'), layer) : ''
  return [words.replaceAll(TO_TRACE, TRACE_ALL) + missing, ALL_TRACED]
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
  const ofCalls = cell === 'reads' || cell === 'writes' || cell === 'streams'
  if (logged && ofCalls && rateIsOf(cell, metrics) && enoughForOne(metrics)) return ENOUGH_FOR_ONE
  const kinds = traced ? ofTwoKinds(metrics) : null
  if (kinds) return kinds
  if (cell === 'reads' || cell === 'writes' || cell === 'imbalance' || below) {
    const tells = ofBusyOsts(metrics) ?? byMount(cell, metrics)
    // More ranks that write use more OSTs, if there are others.
    if (tells && !(tells === BUSY_OSTS && cell === 'imbalance' && fewMove(metrics))) return tells
  }
  if (cell === 'writes' && crowded(metrics) && !(logged && withoutAProblem(metrics)))
    return logged ? CROWDED : [CROWDED[0], NO_LOG[1]]
  if (cell === 'library' && (moreAbove('read', metrics) || moreAbove('written', metrics))) return FILTERED
  if (cell === 'imbalance' && fewMove(metrics))
    return metrics['file.subfiles_of']?.value === 'ADIOS2' ? FEW_OF_ADIOS : FEW_MOVE
  if (cell === 'metadata' && mostlySeeks(metrics)) return SEEKS
  if (cell === 'metadata' && sentAtClose(metrics)) return SENT_AT_CLOSE
  if (cell === 'metadata' && metrics['posix.metadata_mostly']?.value === 'closes') return IN_CLOSES
  if (cell === 'metadata' && metrics['posix.metadata_mostly']?.value === 'a few calls') return STOOD_STILL
  if (
    cell === 'metadata' &&
    (metrics['job.nprocs']?.value === 1 || metrics['io.pattern']?.value === 'serial')
  )
    return BY_ONE_PROCESS
  if (cell === 'exchange') {
    if (below && !(logged && withoutAProblem(metrics) && !crowded(metrics))) {
      const waited = waitedFor(metrics)
      return logged ? waited : [waited[0], NO_LOG[1]]
    }
    if (source === 'CrayPAT') return ASK_PHASES
    if (logged && !below && typeof metrics['timers.weight']?.value === 'number')
      return withPhases(PHASES_KNOWN, metrics)
  }
  const moves = (ofCalls && rateIsOf(cell, metrics)) || below
  if (logged && moves && withoutAProblem(metrics)) {
    const own = metrics['io.pattern']?.value === 'file-per-process'
    return [WHAT_IT_GIVES, (own ? IOR_OWN : IOR_SHARED) + (cell === 'reads' ? IOR_READS : IOR_WRITES)]
  }
  if (logged && cell === 'streams' && (known(metrics, 'stdio.average_size') ?? 0) >= LARGE_CALL)
    return LARGE_STREAMS
  return logged || cell === 'metadata' ? EXPERIMENTS[cell] : withPhases(NO_LOG, metrics)
}

/** Where ranks with as much to do are quick or slow, and nothing between. */
function ofTwoKinds(metrics: Metrics): Experiment | null {
  const [times, slow] = [known(metrics, PACES_OF_RANKS), known(metrics, 'balance.two_paces_slow')]
  if (times === null || slow === null || times < PACES) return null
  return twoKinds(inPlainWords(Math.trunc(slow), '1'), inPlainWords(times, '1'))
}

/** Whether the job's rate is that of these calls: it is of the layer with most bytes, and lines to a stream may take the
 * time beside it. */
function rateIsOf(cell: Cell, metrics: Metrics): boolean {
  return cell !== 'streams' || metrics['io.layer']?.value === 'STDIO'
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
  const each = known(metrics, 'file.ost_rate')
  if (each !== null) return each
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
  return used < every ? overMore(metrics, every) : EVERY_OST
}

/** With the command for a new directory: twice the stripes of a shared file; of files of single ranks as many as now,
 * wherever Lustre puts them. */
function overMore(metrics: Metrics, every: number): Experiment {
  const [stripes, size] = [known(metrics, 'file.stripe_count'), known(metrics, 'file.stripe_size')]
  if (stripes === null || !size) return MORE_OSTS
  const own = OWN_FILES.includes(metrics['io.pattern']?.value)
  const [count, first] = own ? [stripes, ' -i -1'] : [Math.min(every, MORE * stripes), '']
  const each = size % MIB === 0 ? `${(size / MIB).toFixed(0)}M` : size.toFixed(0)
  return [MORE_OSTS[0], `lfs setstripe -c ${count.toFixed(0)} -S ${each}${first} NEW_DIRECTORY`]
}

/** Whether the job moves more than several GiB/s, and its OSTs, where they are known, are not idle beside that. */
function withoutAProblem(metrics: Metrics): boolean {
  const [rate, each] = [known(metrics, 'io.bandwidth'), rateOfAnOst(metrics)]
  return rate !== null && rate >= RATE_WITHOUT_A_PROBLEM && (each === null || each >= RATE_OF_IDLE_OST)
}

/** Whether the job is one process, and as fast as one may be. */
function enoughForOne(metrics: Metrics): boolean {
  const rate = known(metrics, 'io.bandwidth')
  return known(metrics, 'job.nprocs') === 1 && rate !== null && rate >= RATE_OF_ONE_PROCESS
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

/** Of the bytes. */
const SOME_ALONE = 0.1

/** Of the ranks that move the bytes for each stripe, from which there is one: a variance gives a little less. */
const NEARLY_ONE = 0.9

/** More aggregators than stripes take one another's locks, unless they are locked otherwise: nobody is sent to try
 * that. */
function waitedFor(metrics: Metrics): Experiment {
  if (crowded(metrics)) return CROWDED
  const [stripes, each, movers] = [
    'file.stripe_count',
    'mpiio.movers_per_stripe',
    'mpiio.effective_aggregators',
  ].map((id) => metrics[id]?.value)
  if (metrics['io.pattern']?.value !== 'shared-collective') return WAITED_FOR
  if (typeof stripes !== 'number' || stripes < SEVERAL || alone(metrics)) return WAITED_FOR
  const ofEach = typeof each === 'number' ? each : typeof movers === 'number' ? movers / stripes : null
  if (ofEach === null) return WAITED_FOR
  const ofFile = known(metrics, 'file.size')
  if (ofEach >= NEARLY_ONE && ofFile !== null && ofFile < LITTLE * stripes) return LITTLE_EACH
  if (ofEach >= NEARLY_ONE) return metrics['file.other_osts']?.value === 'none' ? OSTS_IN_USE : STRIPES_IN_USE
  return [ONE_A_STRIPE.replace('{}', stripes.toFixed(0)), TRACED]
}

function crowded(metrics: Metrics): boolean {
  const mode = metrics['hints.lock_mode']?.value
  return shareStripes(metrics) && !(typeof mode === 'number' && mode >= 1)
}

/** Whether several of the ranks that move the bytes of one shared file share each of its stripes. */
function shareStripes(metrics: Metrics): boolean {
  const each = metrics['mpiio.movers_per_stripe']?.value
  const shared = metrics['io.pattern']?.value === 'shared-collective' && !alone(metrics)
  return typeof each === 'number' && each >= SEVERAL && shared
}

/** Whether independent calls carry some of the bytes: who moves those moves its own, whatever the hints. */
function alone(metrics: Metrics): boolean {
  return (known(metrics, 'mpiio.independent_bytes_lower_fraction') ?? 0) >= SOME_ALONE
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
  const ofOst = rateOfAnOst(metrics)
  return EACH.flatMap(([of, names]) => {
    const first = names.map((id) => known(metrics, id)).find((value) => value !== null)
    const count = few && of === 'rank' ? movers : first
    if (typeof count !== 'number' || count <= 0) return []
    return [{ of, count, bytes_per_s: of === 'OST' && ofOst !== null ? ofOst : rate / count }]
  })
}

/** The rank, or those that move the bytes. */
export function whom({ of, count }: Unexplained['rates'][number], ranks: number | null): string {
  if (of !== 'rank' || ranks === null || count >= ranks) return of
  return `rank that moves the bytes (${inPlainWords(Math.round(count), '1')} of ${inPlainWords(ranks, '1')})`
}
