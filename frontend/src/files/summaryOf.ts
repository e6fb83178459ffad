import type { CaseDocument } from '../analysis/caseDocument'
import type { FilePage } from '../api/types'
import { count, format, plural } from '../format'
import { DOT } from '../ui/Dotted'

type Timed = Pick<CaseDocument, 'account'>

/** Of several files that ranks share the slowest may be others: no rank takes longer than theirs together, nor than the slowest
 * takes over all files, nor than the run. */
function timeSaid(seconds: number, files: number, { account }: Timed): string {
  if (files === 1) return `${format(seconds, 's')} of the slowest rank`
  const known = account?.partial === false ? account.slowest?.most_s : undefined
  const most = Math.min(seconds, known ?? seconds, account?.runtime_s ?? seconds)
  return `at most ${format(most, 's')} of one rank`
}

/** How many, what they moved and how long it took, as far as the evidence states it. */
export function summaryOf({ total, matched, sums }: FilePage, document: Timed): string {
  const which = matched === total ? plural(total, 'file') : `${count(matched)} of ${plural(total, 'file')}`
  const facts = [
    sums.bytes_written.value !== null && `${format(sums.bytes_written.value, 'B')} written`,
    sums.bytes_read.value !== null && `${format(sums.bytes_read.value, 'B')} read`,
    sums.time_s.value !== null && timeSaid(sums.time_s.value, sums.time_s.files, document),
  ].filter((words) => words !== false)
  const untimed = matched - sums.time_s.files
  return [
    which,
    ...facts,
    ...(sums.time_s.files > 0 && untimed > 0 ? [`${count(untimed)} without times`] : []),
  ].join(DOT)
}
