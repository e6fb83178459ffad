/** The verdict of each finding, its severity, and the order in which findings are read. The same as
 * `iotriage.analysis.decision.order`. */
import type { Grade, Severity, Verdict } from '../api/types'
import type { Finding } from './caseDocument'
import type { Answer } from './condition'

/** Grades of headlines, the gravest first. An unknown one stands among those that may matter. */
export const GRADES: readonly Grade[] = ['high', 'medium', 'low', 'unknown', 'info', 'clear']

const SEVERITY_RANK: Record<Severity, number> = { high: 0, medium: 1, low: 2, info: 3 }
const VERDICT_RANK: Record<Verdict, number> = {
  triggered: 2,
  unknown: 4,
  error: 5,
  clear: 6,
  not_applicable: 7,
}

/** A rule that does not apply is not applicable, whatever its condition; one whose condition is false is clear, even
 * where it is unknown whether it applies. */
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

const A_STEP_LESS: Readonly<Record<Severity, Severity>> = {
  high: 'medium',
  medium: 'low',
  low: 'low',
  info: 'info',
}

/** A finding that is not triggered, is explained, or does not matter has info. Where it is unknown whether the I/O
 * matters, the severity is medium at most. Where the I/O is a small share of the run, each severity is lowered by
 * one step. */
export function severityOf(
  verdict: Verdict,
  base: Severity,
  { weighed, significant, explained, smallShare = false }: Weighing,
): Severity {
  if (verdict !== 'triggered' || explained) return 'info'
  if (!weighed) return base
  if (significant === false) return 'info'
  if (smallShare) return A_STEP_LESS[base]
  if (significant === null && base === 'high') return 'medium'
  return base
}

/** Whether the finding's rule never reports more than a note. */
const isNote = (finding: Finding) => finding.verdict === 'triggered' && finding.base_severity === 'info'

/** Whether the finding is triggered and nothing explains it. */
export const isACause = (finding: Finding): boolean =>
  finding.verdict === 'triggered' && finding.explained_by === null

/** By rule, what it takes in all groups of files together where no other explains it. */
export function secondsOfCauses(findings: readonly Finding[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const finding of findings)
    if (isACause(finding) && finding.takes_s !== null)
      found.set(finding.rule, (found.get(finding.rule) ?? 0) + finding.takes_s)
  return found
}

/** By what endangers data, what leads, what is wrong and what that explains; notes last, then by the seconds that the
 * cause takes in all groups of files and those that it takes here, of which those below `shortest` rank nothing. */
export function inReadingOrder(findings: readonly Finding[], shortest: number): Finding[] {
  const ofRules = secondsOfCauses(findings)
  const ranked = (seconds: number | null) => (seconds !== null && seconds >= shortest ? seconds : 0)
  const ofCause = (finding: Finding) =>
    ranked(isACause(finding) ? (ofRules.get(finding.rule) ?? null) : finding.takes_s)
  return [...findings].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      Number(isNote(a)) - Number(isNote(b)) ||
      ofCause(b) - ofCause(a) ||
      ranked(b.takes_s) - ranked(a.takes_s) ||
      SEVERITY_RANK[a.severity] - SEVERITY_RANK[b.severity] ||
      bySeconds(a.could_save_s, b.could_save_s) ||
      a.priority - b.priority ||
      byName(a.rule, b.rule) ||
      byName(a.scope.id, b.scope.id),
  )
}

/** Whether the finding is grave however little time the I/O took. */
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
