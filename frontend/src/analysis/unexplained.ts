/** The part of the account that no finding claims: its seconds, its rates, and what would tell where it goes. The
 * same as `iotriage.analysis.decision.unexplained`; both are tested on one file of vectors. */

import type { Account, Investigation, Investigations, Unexplained } from '../api/types'
import { allotSeconds, type Basis, CELLS, shortestRanked, total } from './allotment'
import type { Finding } from './caseDocument'
import { type Answer, answered, type InForce } from './condition'

const FRACTION = 'io-not-the-bottleneck.fraction'
const TIME = 'io-not-the-bottleneck.time'
const SPLIT = CELLS.filter((cell) => cell !== 'not_split')

/** What is left when all findings have their seconds; null where there is no account. */
export function unexplainedOf(
  findings: readonly Finding[],
  basis: Basis,
  significant: Answer,
  { of_cells, rates }: Investigations,
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
  const isMeant = ({ least_s, if_hold, when }: Investigation) =>
    seconds >= least_s &&
    if_hold.every(holds) &&
    answered(when, basis.metrics, basis.thresholds).answer === true
  const meant = tells ? of_cells[most]?.find(isMeant) : undefined
  return {
    seconds,
    share: of > 1e-9 ? seconds / of : 0,
    cells: left,
    // No rate is that of the storage where the ranks take turns.
    rates: holds('ranks-in-turn') ? [] : rates,
    experiment: meant?.sentence ?? null,
    command: meant?.command ?? null,
    kind: meant?.kind ?? null,
  }
}

/** Seconds from which somebody should look for their cause: those that rank, and the share of the run from which I/O is
 * a bottleneck; where nobody says how long the run was, the time from which I/O is long in itself. */
function matters({ runtime_s }: Account, thresholds: InForce): number {
  const least = runtime_s === null ? thresholds[TIME]?.value : (thresholds[FRACTION]?.value ?? 0) * runtime_s
  return Math.max(shortestRanked(thresholds), least ?? 0)
}
