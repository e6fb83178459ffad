/**
 * Decides a case document's findings again for other thresholds: pure, in the browser, without the server.
 * The same semantics as `iotriage.analysis.condition` and `.order`; both are held to one file of vectors.
 */
import type {
  Answer,
  CaseDocument,
  ConditionNode,
  Finding,
  Headline,
  Leaf,
  Operator,
  Severity,
  Verdict,
} from '../api/types'
import { withoutContradictions } from './contradictions'

/** Threshold id → the number in force; a threshold that is not given keeps the one in the tree. */
export type Thresholds = Readonly<Record<string, number>>

const SEVERITY_RANK: Record<Severity, number> = { high: 0, medium: 1, low: 2, info: 3 }
const VERDICT_RANK: Record<Verdict, number> = {
  triggered: 2,
  unknown: 4,
  error: 5,
  clear: 6,
  not_applicable: 7,
}

/** Unknown where there is no number, and where the value is a lower bound whose true figure could turn the answer. */
function compare(
  value: number | string | null,
  operator: Operator,
  threshold: number,
  bound: 'lower' | null,
): Answer {
  if (typeof value !== 'number') return null
  const answer = holds(value, operator, threshold)
  if (bound !== 'lower') return answer
  if (operator === '>' || operator === '>=') return answer ? true : null
  if (operator === '<' || operator === '<=') return answer ? null : false
  return null
}

function holds(value: number, operator: Operator, threshold: number): boolean {
  switch (operator) {
    case '>':
      return value > threshold
    case '>=':
      return value >= threshold
    case '<':
      return value < threshold
    case '<=':
      return value <= threshold
    case '==':
      return value === threshold
    case '!=':
      return value !== threshold
  }
}

/** False where any is false, else unknown where any is unknown, else true (true of nothing). */
function allOf(answers: readonly Answer[]): Answer {
  if (answers.includes(false)) return false
  return answers.includes(null) ? null : true
}

/** True where any is true, else unknown where any is unknown, else false (false of nothing). */
function anyOf(answers: readonly Answer[]): Answer {
  if (answers.includes(true)) return true
  return answers.includes(null) ? null : false
}

/** The same tree decided again; answers already in it are not trusted. */
export function decide<N extends ConditionNode>(node: N, thresholds: Thresholds): N
export function decide(node: ConditionNode, thresholds: Thresholds): ConditionNode {
  switch (node.kind) {
    case 'compare': {
      const threshold = thresholds[node.threshold_id] ?? node.threshold
      return { ...node, threshold, answer: compare(node.value, node.operator, threshold, node.bound) }
    }
    case 'is_one_of':
      return { ...node, answer: node.value === null ? null : node.words.includes(String(node.value)) }
    case 'present':
      return { ...node, answer: node.value !== null }
    case 'all_of': {
      const of = node.of.map((part) => decide(part, thresholds))
      return { ...node, of, answer: allOf(of.map((part) => part.answer)) }
    }
    case 'any_of': {
      const of = node.of.map((part) => decide(part, thresholds))
      return { ...node, of, answer: anyOf(of.map((part) => part.answer)) }
    }
  }
}

/** Whether a rule applies comes before whether it holds; one that cannot hold is clear either way. */
export function verdictOf(requires: Answer, condition: Answer): Verdict {
  if (requires === false) return 'not_applicable'
  if (condition === false) return 'clear'
  return requires === true && condition === true ? 'triggered' : 'unknown'
}

/** Not triggered, explained or not mattering is info; where it cannot be known whether it matters, medium at most. */
export function severityOf(
  verdict: Verdict,
  base: Severity,
  matters: ConditionNode | null,
  explained: boolean,
): Severity {
  if (verdict !== 'triggered' || explained) return 'info'
  if (matters === null) return base
  if (matters.answer === false) return 'info'
  if (matters.answer === null && base === 'high') return 'medium'
  return base
}

/** All findings decided again, with what explains what, in reading order, the advice of none contradicting another's. */
export function evaluateFindings(findings: readonly Finding[], thresholds: Thresholds): Finding[] {
  const answered = findings.map((finding) => format(answer(finding, thresholds)))
  const weighed = answered
    .map((finding) => {
      const explained_by = causeOf(finding, answered)
      const severity = severityOf(
        finding.verdict,
        finding.base_severity,
        finding.matters,
        explained_by !== null,
      )
      return { ...finding, explained_by, severity }
    })
    .sort(inReadingOrder)
  return withoutContradictions(weighed)
}

function answer(finding: Finding, thresholds: Thresholds): Finding {
  const requires = decide(finding.requires, thresholds)
  const condition = decide(finding.condition, thresholds)
  return {
    ...finding,
    requires,
    condition,
    matters: finding.matters && decide(finding.matters, thresholds),
    supports: finding.supports.map((node) => decide(node, thresholds)),
    verdict: finding.verdict === 'error' ? 'error' : verdictOf(requires.answer, condition.answer),
  }
}

/** The triggered finding nearest to the root that accounts for this one, on the same files or about the whole job. */
function causeOf(finding: Finding, all: readonly Finding[]): string | null {
  if (finding.verdict !== 'triggered') return null
  let cause: Finding | null = null
  for (const other of all) {
    if (other.rule === finding.rule || other.verdict !== 'triggered') continue
    if (!other.explains.includes(finding.rule)) continue
    const near =
      other.scope.kind === 'job' || finding.scope.kind === 'job' || other.scope.id === finding.scope.id
    if (!near) continue
    if (
      !cause ||
      other.priority < cause.priority ||
      (other.priority === cause.priority && other.rule < cause.rule)
    )
      cause = other
  }
  return cause?.rule ?? null
}

function inReadingOrder(a: Finding, b: Finding): number {
  return (
    rank(a) - rank(b) ||
    SEVERITY_RANK[a.severity] - SEVERITY_RANK[b.severity] ||
    bySeconds(a.impact?.seconds ?? null, b.impact?.seconds ?? null) ||
    a.priority - b.priority ||
    byName(a.rule, b.rule) ||
    byName(a.scope.id, b.scope.id)
  )
}

/** Whether it is grave however little the I/O took. */
const endangersData = (finding: Finding): boolean =>
  finding.verdict === 'triggered' && finding.matters === null && finding.severity === 'high'

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

/** What is said first: what endangers the data; else the first triggered finding's cause and its advice, those about the
 * I/O itself before those about the case; else that nothing was found. */
function headlineOf(findings: readonly Finding[], served: Headline): Headline {
  const triggered = findings.filter((finding) => finding.verdict === 'triggered')
  const first =
    triggered.find(endangersData) ??
    triggered.find((finding) => finding.matters !== null || finding.leads) ??
    triggered[0]
  if (first) {
    return {
      sentence: first.headline ?? first.title,
      action: first.advice[0]?.text ?? null,
      command: first.advice[0]?.command ?? null,
      severity: first.severity,
      rule: first.rule,
    }
  }
  if (served.rule === null) return served
  if (findings.some((finding) => finding.verdict === 'unknown')) {
    return nothing('Nothing wrong was found in what could be read.')
  }
  return nothing('No problem found at these thresholds.')
}

const nothing = (sentence: string): Headline => ({
  sentence,
  action: null,
  command: null,
  severity: 'clear',
  rule: null,
})

/** A finding's words are there when it is triggered, as the rule gives them; one that becomes so says what it would
 * have said. */
function format(finding: Finding): Finding {
  if (finding.verdict !== 'triggered') {
    return { ...finding, headline: null, summary: null, advice: [], impact: null }
  }
  if (!finding.would_say) return finding
  const { headline, summary, advice, impact } = finding.would_say
  return { ...finding, headline, summary, advice, impact }
}

/** The document as it reads under `thresholds`. */
export function evaluate(document: CaseDocument, thresholds: Thresholds): CaseDocument {
  const findings = evaluateFindings(document.findings, thresholds)
  const decidedAlike = findings.every((finding, i) => sameAnswer(finding, document.findings[i]))
  return {
    ...document,
    findings,
    // The server's sentence knows more than the findings: what was read, and whether there was I/O at all.
    headline: decidedAlike ? document.headline : headlineOf(findings, document.headline),
  }
}

const sameAnswer = (a: Finding, b: Finding | undefined): boolean =>
  a.rule === b?.rule && a.scope.id === b.scope.id && a.verdict === b.verdict && a.severity === b.severity

/** The comparisons of a tree, from left to right. */
export function leavesOf(node: ConditionNode): Leaf[] {
  return node.kind === 'all_of' || node.kind === 'any_of' ? node.of.flatMap(leavesOf) : [node]
}

/** The comparisons an answer rests on: what made it true, what made it false, or what keeps it unknown. */
export function decidingLeaves(node: ConditionNode): Leaf[] {
  if (node.kind !== 'all_of' && node.kind !== 'any_of') return [node]
  return node.of.filter((part) => part.answer === node.answer).flatMap(decidingLeaves)
}
