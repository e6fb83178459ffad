/**
 * Which finding explains which: what is told of the one is the cause of what is told of the other.
 * The same as `iotriage.analysis.decision.explained`.
 */
import type { Cell, Cells } from '../api/types'
import { type Basis, CELLS, claimedSeconds, total } from './allotment'
import type { Finding } from './caseDocument'
import { MOST_OF_THE_SECONDS } from './fixedNumbers'

/**
 * The triggered finding nearest to the root that accounts for this one: on the same files, or where one of the two is
 * about the whole job and the other's files have most of its seconds; of those that claim a part of the job's, one that
 * must claim most of these files'.
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

function areOneMatter(cause: Finding, finding: Finding, basis: Basis): boolean {
  if (cause.scope.kind === finding.scope.kind) return cause.scope.id === finding.scope.id
  const { account } = basis
  const ofJob = finding.scope.kind === 'job'
  const ofGroup = account?.groups[(ofJob ? cause : finding).scope.id]
  if (!account || !ofGroup) return true
  const claimed = claimedSeconds(cause, ofJob ? ofGroup : account.cells, basis)
  const [first, second] = [cellsOf(cause.claims), cellsOf(finding.claims)]
  const both = CELLS.filter((cell) => first.has(cell) && second.has(cell))
  const shared = claimed.size > 0 ? both.filter((cell) => claimed.has(cell)) : both
  if (both.length > 0 && shared.length === 0) return false
  const inside = total(ofGroup, shared)
  if (inside < MOST_OF_THE_SECONDS * total(account.cells, shared)) return false
  return (
    ofJob ||
    claimed.size === 0 ||
    claimedOfGroup(claimed, ofGroup, account.cells, shared) >= MOST_OF_THE_SECONDS * inside
  )
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
