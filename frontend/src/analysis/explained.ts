/** Decides which finding explains which: the cause behind the one is what the other finding is about. The same as
 * `iotriage.analysis.decision.explained`. */
import type { Cell, Cells } from '../api/types'
import { type Basis, CELLS, claimedSeconds, total } from './allotment'
import type { Finding } from './caseDocument'
import { answered } from './condition'
import { MOST_OF_THE_SECONDS } from './fixedNumbers'

/**
 * The rule nearest to the root whose triggered findings account for this one: on the same files, or where one of the
 * two is about the whole job and the other's files have most of its seconds. Of a symptom of the job these are those
 * that it claims, and all groups of files in which the cause stands have them together; a cause that claims a part must
 * claim most of these files'.
 */
export function causeOf(finding: Finding, all: readonly Finding[], basis: Basis): string | null {
  if (finding.verdict !== 'triggered') return null
  const causes = all
    .filter((other) => other.rule !== finding.rule && other.verdict === 'triggered')
    .filter((other) => other.explains.includes(finding.rule))
    .sort((a, b) => a.priority - b.priority || (a.rule < b.rule ? -1 : Number(a.rule > b.rule)))
  for (const rule of new Set(causes.map(({ rule }) => rule))) {
    const ofRule = causes.filter((cause) => cause.rule === rule)
    if (areOneMatter(ofRule, finding, basis)) return rule
  }
  return null
}

function isByItself({ claims, scope }: Finding, { scopes, metrics, thresholds }: Basis) {
  const own = scopes.get(scope.id) ?? metrics
  return claims.some(({ by_itself, when }) => by_itself && answered(when, own, thresholds).answer === true)
}

/** Whether the findings of one rule explain `finding`. A rule is either about the job or about groups, so all of
 * them have the same kind of scope. */
function areOneMatter(causes: readonly Finding[], finding: Finding, basis: Basis): boolean {
  const [cause] = causes
  if (!cause) return false
  if (cause.scope.kind === finding.scope.kind)
    return causes.some(({ scope }) => scope.id === finding.scope.id) && !isByItself(finding, basis)
  return finding.scope.kind === 'job'
    ? explainOfJob(causes, cellsOfBoth(cause, finding), finding, basis)
    : explainsOfGroup(cause, finding, basis)
}

/** Of each group the cells count of which the cause claims something there. */
function explainOfJob(
  causes: readonly Finding[],
  both: readonly Cell[],
  finding: Finding,
  basis: Basis,
): boolean {
  const { account } = basis
  if (!account) return true
  const inside = new Map<Cell, number>()
  for (const cause of [...causes].sort((a, b) => (a.scope.id < b.scope.id ? -1 : 1))) {
    const ofGroup = account.groups[cause.scope.id]
    if (!ofGroup) return true
    const claimed = claimedSeconds(cause, ofGroup, basis)
    for (const cell of both)
      if (claimed.size === 0 || claimed.has(cell)) inside.set(cell, (inside.get(cell) ?? 0) + ofGroup[cell])
  }
  if (both.length > 0 && inside.size === 0) return false
  for (const [cell, seconds] of inside) inside.set(cell, Math.min(seconds, account.cells[cell]))
  return haveMost(inside, account.cells, claimedSeconds(finding, account.cells, basis))
}

function explainsOfGroup(cause: Finding, finding: Finding, basis: Basis): boolean {
  const { account } = basis
  const ofGroup = account?.groups[finding.scope.id]
  if (!account || !ofGroup) return true
  const claimed = claimedSeconds(cause, account.cells, basis)
  const both = cellsOfBoth(cause, finding)
  const shared = claimed.size > 0 ? both.filter((cell) => claimed.has(cell)) : both
  if (both.length > 0 && shared.length === 0) return false
  const inside = total(ofGroup, shared)
  if (inside < MOST_OF_THE_SECONDS * total(account.cells, shared)) return false
  return (
    claimed.size === 0 ||
    claimedOfGroup(claimed, ofGroup, account.cells, shared) >= MOST_OF_THE_SECONDS * inside
  )
}

/** Whether the groups have most of the job's seconds that are claimed, taken to be spread as those of their cells are:
 * of a cell that is not claimed they need none. Of all seconds, where none of these cells is. */
function haveMost(
  ofGroups: ReadonlyMap<Cell, number>,
  ofJob: Cells,
  claimed: ReadonlyMap<Cell, number>,
): boolean {
  let [inside, whole, within] = [0, 0, 0]
  const cells = CELLS.filter((cell) => ofGroups.has(cell))
  for (const cell of cells) {
    const [seconds, own] = [claimed.get(cell) ?? 0, ofGroups.get(cell) ?? 0]
    within += own
    if (seconds > 0) {
      inside += (seconds * own) / ofJob[cell]
      whole += seconds
    }
  }
  if (whole <= 0) return within >= MOST_OF_THE_SECONDS * total(ofJob, cells)
  return inside >= MOST_OF_THE_SECONDS * whole
}

function cellsOfBoth(cause: Finding, finding: Finding): readonly Cell[] {
  const [first, second] = [cellsOf(cause.claims), cellsOf(finding.claims)]
  return CELLS.filter((cell) => first.has(cell) && second.has(cell))
}

const cellsOf = (claims: Finding['claims']) => new Set(claims.flatMap(({ cells }) => cells))

/** The group's seconds that are claimed even if all those of the job's other files are. */
function claimedOfGroup(
  claimed: ReadonlyMap<Cell, number>,
  ofGroup: Cells,
  ofJob: Cells,
  cells: readonly Cell[],
) {
  return cells.reduce(
    (sum, cell) => sum + Math.max(0, (claimed.get(cell) ?? 0) + ofGroup[cell] - ofJob[cell]),
    0,
  )
}
