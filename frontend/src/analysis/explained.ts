/**
 * Which finding explains which: what is told of the one is the cause of what is told of the other.
 * The same as `iotriage.analysis.decision.explained`.
 */
import type { Cell, Cells } from '../api/types'
import { type Basis, CELLS, claimedSeconds, total } from './allotment'
import type { Finding } from './caseDocument'
import { answered } from './condition'
import { MOST_OF_THE_SECONDS } from './fixedNumbers'

/**
 * The triggered finding nearest to the root that accounts for this one: on the same files, or where one of the two is
 * about the whole job and the other's files have most of its seconds: of a symptom's those that it claims, and a cause
 * that claims a part must claim most of these files'.
 */
export function causeOf(finding: Finding, all: readonly Finding[], basis: Basis): string | null {
  if (finding.verdict !== 'triggered') return null
  let cause: Finding | null = null
  for (const other of all) {
    if (other.rule === finding.rule || other.verdict !== 'triggered') continue
    if (!other.explains.includes(finding.rule)) continue
    if (!areOneMatter(other, finding, basis)) continue
    if (
      !cause ||
      other.priority < cause.priority ||
      (other.priority === cause.priority && other.rule < cause.rule)
    )
      cause = other
  }
  return cause?.rule ?? null
}

function isByItself({ claims, scope }: Finding, { scopes, metrics, thresholds }: Basis) {
  const own = scopes.get(scope.id) ?? metrics
  return claims.some(({ by_itself, when }) => by_itself && answered(when, own, thresholds).answer === true)
}

function areOneMatter(cause: Finding, finding: Finding, basis: Basis): boolean {
  if (cause.scope.kind === finding.scope.kind)
    return cause.scope.id === finding.scope.id && !isByItself(finding, basis)
  const { account } = basis
  const ofJob = finding.scope.kind === 'job'
  const ofGroup = account?.groups[(ofJob ? cause : finding).scope.id]
  if (!account || !ofGroup) return true
  const claimed = claimedSeconds(cause, ofJob ? ofGroup : account.cells, basis)
  const [first, second] = [cellsOf(cause.claims), cellsOf(finding.claims)]
  const both = CELLS.filter((cell) => first.has(cell) && second.has(cell))
  const shared = claimed.size > 0 ? both.filter((cell) => claimed.has(cell)) : both
  if (both.length > 0 && shared.length === 0) return false
  if (ofJob) return hasMost(ofGroup, account.cells, claimedSeconds(finding, account.cells, basis), shared)
  const inside = total(ofGroup, shared)
  if (inside < MOST_OF_THE_SECONDS * total(account.cells, shared)) return false
  return (
    claimed.size === 0 ||
    claimedOfGroup(claimed, ofGroup, account.cells, shared) >= MOST_OF_THE_SECONDS * inside
  )
}

/** Whether the group has most of the job's seconds that are claimed, taken to be spread as those of their cells are: of
 * a cell that is not claimed it needs none. Of all seconds, where none of these cells is. */
function hasMost(ofGroup: Cells, ofJob: Cells, claimed: ReadonlyMap<Cell, number>, cells: readonly Cell[]) {
  let [inside, whole] = [0, 0]
  for (const cell of cells) {
    const seconds = claimed.get(cell) ?? 0
    if (seconds > 0) {
      inside += (seconds * ofGroup[cell]) / ofJob[cell]
      whole += seconds
    }
  }
  if (whole <= 0) return total(ofGroup, cells) >= MOST_OF_THE_SECONDS * total(ofJob, cells)
  return inside >= MOST_OF_THE_SECONDS * whole
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
