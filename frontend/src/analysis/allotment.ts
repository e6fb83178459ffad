/** Gives the seconds of the account to the findings that claim them: to causes before symptoms, each second once.
 * Seconds that no source divides are given to nobody. The same as `iotriage.analysis.decision.allotment`; both are
 * tested on one file of vectors. */

import type { Account, Cell, Cells, Claim, Impact, Part } from '../api/types'
import type { CaseDocument, Finding } from './caseDocument'
import { answered, type InForce } from './condition'
import { OWN, RUNS_DIFFER } from './fixedNumbers'
import type { Metrics } from './metrics'

export const CELLS = [
  'reads',
  'writes',
  'metadata',
  'exchange',
  'streams',
  'library',
  'imbalance',
  'not_split',
] as const satisfies readonly Cell[]

const SHORTEST = 'significance.seconds'

export interface Basis {
  readonly account: Account | null
  readonly metrics: Metrics
  readonly scopes: ReadonlyMap<string, Metrics>
  readonly thresholds: InForce
}

/** The seconds of each finding, and what is left of the job's cells. A finding's cure can spare all that it claims,
 * whichever finding was given those seconds, and what its files' slowest rank takes beyond the mean and no finding
 * claims. */
interface Allotment {
  readonly takes: ReadonlyMap<Finding, number>
  readonly reaches: ReadonlyMap<Finding, number>
  readonly left: Cells
}

/** `findings` with verdict and cause, in any order; null where there is no account. */
export function allotSeconds(findings: readonly Finding[], basis: Basis): Allotment | null {
  const { account } = basis
  if (!account) return null
  const job = { ...account.cells }
  const ofGroups = new Map(Object.entries(account.groups).map(([id, cells]) => [id, { ...cells }]))
  const takes = new Map<Finding, number>()
  const claimed = new Map<Finding, number>()
  const asked = new Map<Finding, Map<Cell, number>>()
  const byCell = new Map<Finding, Map<Cell, number>>()
  for (const [finding, claims] of inTurn(findings)) {
    const whole = finding.scope.kind === 'job'
    const ofScope = whole ? account.cells : account.groups[finding.scope.id]
    const left = whole ? job : ofGroups.get(finding.scope.id)
    if (!ofScope || !left) continue
    const metrics = basis.scopes.get(finding.scope.id) ?? basis.metrics
    let given = takes.get(finding) ?? 0
    const cause = causeOf(finding, takes)
    const most = cause === undefined ? Number.POSITIVE_INFINITY : (takes.get(cause) ?? 0)
    const same = new Map(cause && byCell.get(cause))
    const mine = byCell.get(finding) ?? new Map<Cell, number>()
    byCell.set(finding, mine)
    const before = asked.get(finding) ?? new Map<Cell, number>()
    asked.set(finding, before)
    for (const [claim, part] of counted(claims, ofScope, metrics, basis)) {
      for (const cell of claim.cells) {
        const more = askedMore(claim, part * ofScope[cell], cell, ofScope, before)
        const ofCause = Math.min(more, same.get(cell) ?? 0)
        same.set(cell, (same.get(cell) ?? 0) - ofCause)
        const seconds = Math.min(more - ofCause, left[cell], job[cell], Math.max(0, most - given))
        left[cell] -= seconds
        if (left !== job) job[cell] -= seconds
        mine.set(cell, (mine.get(cell) ?? 0) + seconds)
        given += seconds
      }
    }
    takes.set(finding, given)
    claimed.set(finding, sumOf(claimedSeconds(finding, ofScope, basis)))
  }
  const waited = ({ kind, id }: Finding['scope']) =>
    kind === 'job' ? job.imbalance : Math.min(ofGroups.get(id)?.imbalance ?? 0, job.imbalance)
  const reaches = new Map(
    [...claimed].map(([finding, seconds]) => [finding, seconds + waited(finding.scope)]),
  )
  return { takes, reaches, left: job }
}

/** The seconds of each cell of its scope that the finding claims, whichever other findings claim them. Cells without
 * a claim are left out. */
export function claimedSeconds(
  { claims, scope }: Finding,
  ofScope: Cells,
  basis: Basis,
): ReadonlyMap<Cell, number> {
  const metrics = basis.scopes.get(scope.id) ?? basis.metrics
  const claimed = new Map<Cell, number>()
  for (const [claim, part] of counted(claims, ofScope, metrics, basis)) {
    for (const cell of claim.cells) askedMore(claim, part * ofScope[cell], cell, ofScope, claimed)
  }
  return claimed
}

/** The seconds of the cell that this claim adds to those that its finding has asked for already; records them there. */
function askedMore(
  claim: Claim,
  seconds: number,
  cell: Cell,
  ofScope: Cells,
  asked: Map<Cell, number>,
): number {
  const before = asked.get(cell) ?? 0
  const more = 'up_to' in claim && claim.up_to ? Math.max(0, seconds - before) : seconds
  asked.set(cell, Math.min(before + more, ofScope[cell]))
  return more
}

/** The claims that count here, each with the part of its cells that it claims. */
function* counted(claims: readonly Claim[], ofScope: Cells, metrics: Metrics, { thresholds }: Basis) {
  for (const claim of claims)
    if (answered(claim.when, metrics, thresholds).answer === true)
      yield [claim, fraction(claim.part, metrics, total(ofScope, claim.cells))] as const
}

const sumOf = (seconds: ReadonlyMap<Cell, number>) =>
  CELLS.reduce((sum, cell) => sum + (seconds.get(cell) ?? 0), 0)

/** The cause of the finding on the same files, if it takes seconds. The finding is given no more than its cause, and
 * nothing that its cause was given of the same cell: those are the same seconds, seen twice. */
function causeOf({ explained_by, scope }: Finding, takes: ReadonlyMap<Finding, number>): Finding | undefined {
  return [...takes.keys()].find((other) => other.rule === explained_by && other.scope.id === scope.id)
}

type Turn = readonly [Finding, readonly Claim[]]

/** The claims in the order in which they are given seconds: first those of what was measured separately, then all
 * others, causes before symptoms. */
function inTurn(findings: readonly Finding[]): Turn[] {
  const triggered = findings.filter((finding) => finding.verdict === 'triggered').sort(nearestToTheRoot)
  const isApart = (finding: Finding) => (claim: Claim) =>
    'apart' in claim && claim.apart === true && finding.explained_by === null
  const apart = triggered.map((finding): Turn => [finding, finding.claims.filter(isApart(finding))])
  const others = triggered
    .filter((finding) => finding.claims.length > 0)
    .map((finding): Turn => [finding, finding.claims.filter((claim) => !isApart(finding)(claim))])
  return [...apart.filter(([, claims]) => claims.length > 0), ...others]
}

/** The seconds of all cells. */
export const totalOf = (cells: Cells): number => total(cells, CELLS)

/** The seconds of some cells. */
export const total = (cells: Cells, some: readonly Claim['cells'][number][]) =>
  some.reduce((sum, cell) => sum + cells[cell], 0)

/** The part as a fraction of `seconds`, from 0 to 1. */
function fraction(part: Part, metrics: Metrics, seconds: number): number {
  if (part.kind === 'whole') return 1
  if (part.kind === 'largest') return Math.max(...part.of.map((one) => fraction(one, metrics, seconds)))
  if (part.kind === 'product')
    return part.of.reduce((product, one) => product * fraction(one, metrics, seconds), 1)
  const value = metrics[part.metric]?.value
  if (typeof value !== 'number') return 0
  return Math.min(1, Math.max(0, ofValue(part.kind, value, seconds)))
}

function ofValue(kind: 'share' | 'short' | 'seconds' | 'beyond', value: number, seconds: number): number {
  switch (kind) {
    case 'share':
      return value
    case 'short':
      return 1 - value
    case 'seconds':
      return seconds > 0 ? value / seconds : 0
    case 'beyond':
      return value > 0 ? 1 - 1 / value : 0
  }
}

/**
 * Seconds that a cure saves, at least and at most: beyond what is reached only waiting can be spared, which passes in
 * those seconds of the run (null: not known) that are no I/O, and never more than all the I/O, `ofIo`. Null where nothing
 * is sure to be saved, or hardly any of what it reaches is its own.
 */
export function savingOf(
  impact: Impact,
  takes: number,
  reaches: number,
  ofIo: number,
  runtime: number | null,
): readonly [least: number, most: number] | null {
  if (takes < OWN * reaches) return null
  const share = Math.min(1, impact.most_share)
  const reached = reaches * share
  const outside = runtime === null ? Number.POSITIVE_INFINITY : Math.max(0, runtime - ofIo)
  const most = Math.min(reached / RUNS_DIFFER, ofIo, reached + outside)
  const surely = RUNS_DIFFER * takes
  const least = Math.min(surely * share, surely * impact.least_share - impact.stays_s)
  return least > 0 ? [least, most] : null
}

/** The seconds from which findings are ordered by the time they take. */
export const shortestRanked = (thresholds: InForce): number => thresholds[SHORTEST]?.value ?? 0

/** The facts of a decided document that the allotment needs. */
export const basisOf = (
  document: Pick<CaseDocument, 'account' | 'metrics' | 'groups'>,
  thresholds: InForce,
): Basis => ({
  account: document.account,
  metrics: document.metrics,
  scopes: new Map(document.groups.map(({ id, metrics }) => [id, metrics])),
  thresholds,
})

function nearestToTheRoot(a: Finding, b: Finding): number {
  return (
    Number(a.explained_by !== null) - Number(b.explained_by !== null) ||
    a.priority - b.priority ||
    byName(a.rule, b.rule) ||
    byName(a.scope.id, b.scope.id)
  )
}

function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
