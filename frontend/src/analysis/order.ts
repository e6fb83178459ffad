/**
 * What each finding's verdict is, how severe it is, which finding explains which, and in what order a person reads them.
 * The same as `iotriage.analysis.order`.
 */
import type { Account, Cells, Severity, Verdict } from '../api/types'
import { CELLS } from './allotment'
import type { Answer } from './condition'
import type { Finding } from './decided'

const SEVERITY_RANK: Record<Severity, number> = { high: 0, medium: 1, low: 2, info: 3 }
const VERDICT_RANK: Record<Verdict, number> = {
  triggered: 2,
  unknown: 4,
  error: 5,
  clear: 6,
  not_applicable: 7,
}

/** Whether a rule applies comes before whether it holds; one that cannot hold is clear either way. */
export function verdictOf(requires: Answer, condition: Answer): Verdict {
  if (requires === false) return 'not_applicable'
  if (condition === false) return 'clear'
  return requires === true && condition === true ? 'triggered' : 'unknown'
}

interface Weighing {
  readonly weighed: boolean
  readonly significant: Answer
  readonly explained: boolean
  /** Whether the I/O is known to be a small share of the run. */
  readonly smallShare?: boolean
}

/** Not triggered, explained or not mattering is info; where it cannot be known whether it matters, or the I/O is a
 * small share of the run, medium at most. */
export function severityOf(
  verdict: Verdict,
  base: Severity,
  { weighed, significant, explained, smallShare = false }: Weighing,
): Severity {
  if (verdict !== 'triggered' || explained) return 'info'
  if (!weighed) return base
  if (significant === false) return 'info'
  if ((significant === null || smallShare) && base === 'high') return 'medium'
  return base
}

/**
 * The triggered finding nearest to the root that accounts for this one: on the same files, or where one of the two is
 * about the whole job and the other's files have most of its seconds.
 */
export function causeOf(finding: Finding, all: readonly Finding[], account: Account | null): string | null {
  if (finding.verdict !== 'triggered') return null
  let cause: Finding | null = null
  for (const other of all) {
    if (other.rule === finding.rule || other.verdict !== 'triggered') continue
    if (!other.explains.includes(finding.rule)) continue
    if (!areOneMatter(other, finding, account)) continue
    if (
      !cause ||
      other.priority < cause.priority ||
      (other.priority === cause.priority && other.rule < cause.rule)
    )
      cause = other
  }
  return cause?.rule ?? null
}

/** Share of the job's seconds from which something about a group of files and something about the job can be one matter. */
const MOST_OF_THE_SECONDS = 0.5

function areOneMatter(cause: Finding, finding: Finding, account: Account | null): boolean {
  if (cause.scope.kind === finding.scope.kind) return cause.scope.id === finding.scope.id
  const group = finding.scope.kind === 'job' ? cause : finding
  const ofGroup = account?.groups[group.scope.id]
  if (!account || !ofGroup) return true
  const claimed = (rule: Finding) => new Set(rule.claims.flatMap(({ cells }) => cells))
  const [first, second] = [claimed(cause), claimed(finding)]
  const shared = CELLS.filter((cell) => first.has(cell) && second.has(cell))
  const secondsOf = (cells: Cells) => shared.reduce((sum, cell) => sum + cells[cell], 0)
  return secondsOf(ofGroup) >= MOST_OF_THE_SECONDS * secondsOf(account.cells)
}

/** Whose rule never says more than a note. */
const isNote = (finding: Finding) => finding.verdict === 'triggered' && finding.base_severity === 'info'

/** By what endangers data, what leads, what is wrong and what that explains; notes last, then by the seconds that each
 * takes, of which those below `shortest` rank nothing. */
export const inReadingOrder = (shortest: number) => (a: Finding, b: Finding) => {
  const ranked = ({ takes_s }: Finding) => (takes_s !== null && takes_s >= shortest ? takes_s : 0)
  return (
    rank(a) - rank(b) ||
    Number(isNote(a)) - Number(isNote(b)) ||
    ranked(b) - ranked(a) ||
    SEVERITY_RANK[a.severity] - SEVERITY_RANK[b.severity] ||
    bySeconds(a.could_save_s, b.could_save_s) ||
    a.priority - b.priority ||
    byName(a.rule, b.rule) ||
    byName(a.scope.id, b.scope.id)
  )
}

/** Whether it is grave however little the I/O took. */
export const endangersData = (finding: Finding): boolean =>
  finding.verdict === 'triggered' && !finding.weighed && finding.severity === 'high'

function rank(finding: Finding): number {
  if (endangersData(finding)) return 0
  if (finding.verdict === 'triggered' && finding.leads) return 1
  if (finding.verdict === 'triggered' && finding.explained_by !== null) return 3
  return VERDICT_RANK[finding.verdict]
}

function bySeconds(a: number | null, b: number | null): number {
  if (a === b) return 0
  if (a === null) return 1
  return b === null ? -1 : b - a
}

function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
