/** The number of the headline: what its finding takes of the run, else the figure that decided it. The same as
 * `iotriage.analysis.decision.headline_figure`. */
import type { Metric, Unexplained, Unit } from '../api/types'
import { bounded, count, inPlainWords } from '../format'
import type { Finding } from './caseDocument'
import { decidingLeaves, type Leaf } from './condition'
import { FOLLOWS, MOST_OF_IT } from './fixedNumbers'
import { alike, secondsThatFollow } from './following'
import type { Metrics } from './metrics'
import { boundOfIoTime, type Timed } from './slowest'

export const NO_TIME = 1e-9
/** Units of flags, levels and counts of evidence: they may decide a finding, but say nothing about the I/O. */
const SETTINGS: readonly Unit[] = ['1', 'word']
/** Units that are shown; the title of the metric already says what the others count. */
const WITH_UNIT: readonly Unit[] = ['B', 'B/s', 's', 'share', 'ratio']

/** Of a triggered finding among all: "That takes 8 min 10 s of the run's 9 min.", and where its rule holds for other
 * groups of files too, of all of them; beside it what it explains, where that takes many seconds more. Where it has no
 * seconds, or fewer than `shortest`, the first figure that its rule compared. `partial`: seconds are lower bounds; what
 * is `left`, unexplained, stands behind them where it is most. */
export function figureOf(
  finding: Finding,
  findings: readonly Finding[],
  document: Timed,
  shortest: number,
  partial: boolean,
  left: Unexplained | null | undefined,
): string | null {
  const { takes_s, condition } = finding
  const { metrics } = document
  if (takes_s !== null && takes_s >= Math.max(shortest, NO_TIME)) {
    const others = alike(finding, findings).filter((f) => f.takes_s)
    const all = others.reduce((sum, f) => sum + (f.takes_s ?? 0), 0)
    const that = others.length > 0 ? `With ${otherGroups(others.length)} of files, that` : 'That'
    const most = left && left.experiment !== null && left.share >= MOST_OF_IT
    const rest = most ? ` Another ${inPlainWords(left.seconds, 's')} of the I/O have no known cause.` : ''
    const follow = secondsThatFollow(finding, findings)
    const also =
      follow >= FOLLOWS * (takes_s + all)
        ? `, and what follows from it ${inPlainWords(follow, 's')} more`
        : ''
    return `${that} takes ${partial ? 'at least ' : ''}${ofRun(takes_s + all, metrics, ' of the I/O time')}${also}.${rest}`
  }
  return (
    decidingLeaves(condition)
      .map((leaf) => stated(leaf, document, finding.headline ?? ''))
      .find((text) => text !== null) ?? null
  )
}

const otherGroups = (groups: number) => (groups === 1 ? 'another group' : `${count(groups)} other groups`)

/** How long the I/O took in which nothing wrong was found; null where no source tells. */
export function allIo(document: Timed): string | null {
  const time = document.metrics['job.io_time']
  if (typeof time?.value !== 'number') return null
  const took = `All its I/O took ${ioTimeBound(document)}${ofRun(time.value, document.metrics, '')}.`
  const posted = postedSeconds(document.metrics)
  if (posted === null) return took
  return `${took} Below its nonblocking calls ${inPlainWords(posted, 's')} more passed: no source says whether the run waited for them.`
}

export const TIME_THE_WAITS =
  'Time MPI_Wait by itself: where it is long, the calls are not hidden behind the computation.'
/** Seconds below nonblocking calls that nobody misses where they are not said. */
const NOT_MISSED = 1

/** Those below nonblocking calls, where they are more than the I/O that is known; else null. */
export function postedSeconds(metrics: Metrics): number | null {
  const posted = metrics['mpiio.posted_time']?.value
  const time = metrics['job.io_time']?.value
  const known = typeof time === 'number' ? time : 0
  return typeof posted === 'number' && posted >= Math.max(NOT_MISSED, known) ? posted : null
}

/** The words before the seconds of I/O: "at least", "at most" or none. */
export function ioTimeBound(document: Timed): string {
  const bound = boundOfIoTime(document)
  return bound === null ? '' : `${bound} `
}

/** Never more than the run, which another clock measured than the one of the timers; `otherwise` is said behind it where
 * the run is not known. */
function ofRun(part: number, metrics: Metrics, otherwise: string): string {
  const run = metrics['job.runtime']?.value
  const text = inPlainWords(part, 's')
  if (typeof run !== 'number' || run < NO_TIME) return text + otherwise
  const whole = inPlainWords(run, 's')
  return part >= run || text === whole ? `the whole run of ${whole}` : `${text} of the run's ${whole}`
}

/** Null too where the sentence has the number already: it is not said twice. */
function stated(leaf: Leaf, document: Timed, sentence: string): string | null {
  // A share of the run is said as its seconds are: nobody asks which share too little is.
  const all = leaf.metric === 'job.io_time_fraction' ? allIo(document) : null
  if (all !== null) return all
  if (leaf.kind !== 'compare' || typeof leaf.value !== 'number' || SETTINGS.includes(leaf.unit)) return null
  const text = WITH_UNIT.includes(leaf.unit) ? inPlainWords(leaf.value, leaf.unit) : count(leaf.value)
  return has(sentence, text) ? null : `${leaf.title}: ${bounded(least(leaf.bound), text)}.`
}

/** As a word of its own, or at its beginning in letters. */
const has = (sentence: string, value: string): boolean =>
  ` ${sentence} `.includes(` ${value} `) || (value === '1' && sentence.startsWith('One '))

const least = (bound: Metric['bound']): string => (bound === 'lower' ? 'at least ' : '')
