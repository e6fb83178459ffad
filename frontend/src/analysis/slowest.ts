/** The time of the slowest rank where it is a bound: files with one record for all ranks do not show whose seconds
 * add up. */
import type { Metric } from '../api/types'
import { format } from '../format'
import type { CaseDocument } from './caseDocument'

/** Two ends that a reader would not take for one figure. */
export const isInterval = (least_s: number, most_s: number): boolean => least_s < 0.99 * most_s

/** What says how long the I/O took. */
export type Timed = Pick<CaseDocument, 'metrics' | 'account'>

/** The words before job.io_time: "at least", "at most" or none. */
export function boundOfIoTime({ metrics, account }: Timed): 'at least' | 'at most' | null {
  const time = metrics['job.io_time']
  if (typeof time?.value !== 'number') return null
  if (time.bound === 'lower') return 'at least'
  const slowest = account?.slowest
  return slowest && time.value >= slowest.most_s && isInterval(slowest.least_s, slowest.most_s)
    ? 'at most'
    : null
}

/** What stands before and behind the job's rate: of a log that lacks records it is that of the others; by the most that its
 * time can be it is the least that it is. */
export function boundsOfRate(document: Timed): readonly [before: string, behind: string] {
  if (document.metrics['io.bytes']?.bound === 'lower') return ['', ' in what is recorded']
  const least = boundOfIoTime(document) === 'at most' || document.metrics['io.bandwidth']?.bound === 'lower'
  return [least ? 'at least ' : '', '']
}

/** The time and share of the slowest rank are the most that they can be where nobody knows whose seconds add up. */
const OF_THE_SLOWEST: ReadonlySet<string> = new Set(['job.io_time', 'job.io_time_fraction'])

/** What stands before and behind a figure, wherever it stands. The job's rate is by the job's time; of a group of files, `ofJob`
 * false, the document has both by their own. */
export function boundsOfFigure(
  metric: string,
  { bound, value, unit }: Pick<Metric, 'bound' | 'value' | 'unit'>,
  document: Timed,
  ofJob = true,
): readonly [before: string, behind: string] {
  if (ofJob && metric === 'io.bandwidth') return boundsOfRate(document)
  // What is "over 99 %" need not be that at least.
  const over = typeof value === 'number' && format(value, unit).startsWith('over ')
  if (bound === 'lower') return [over ? '' : 'at least ', '']
  return [ofJob && OF_THE_SLOWEST.has(metric) && boundOfIoTime(document) === 'at most' ? 'at most ' : '', '']
}
