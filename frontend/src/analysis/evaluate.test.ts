import { describe, expect, it } from 'vitest'
import vectors from '../../../backend/tests/vectors/conditions.json'
import type { Answer, ConditionNode, Severity, Verdict } from '../api/types'
import { type Decidable, decide, evaluateFindings, severityOf, verdictOf } from './evaluate'

/** The file both evaluators are held to. */
interface Vectors {
  conditions: { name: string; node: ConditionNode; thresholds: Record<string, number>; answer: Answer }[]
  verdicts: { name: string; requires: Answer; condition: Answer; verdict: Verdict }[]
  severities: {
    name: string
    verdict: Verdict
    base: Severity
    matters: ConditionNode | null
    explained: boolean
    severity: Severity
  }[]
  explained: {
    name: string
    findings: Decidable[]
    thresholds: Record<string, number>
    expect: {
      rule: string
      scope: string
      verdict: Verdict
      severity: Severity
      explained_by: string | null
    }[]
  }[]
}

const { conditions, verdicts, severities, explained } = vectors as unknown as Vectors

describe('conditions', () => {
  it.each(conditions)('$name', ({ node, thresholds, answer }) => {
    expect(decide(node, thresholds).answer).toBe(answer)
  })
})

describe('verdicts', () => {
  it.each(verdicts)('$name', ({ requires, condition, verdict }) => {
    expect(verdictOf(requires, condition)).toBe(verdict)
  })
})

describe('severities', () => {
  it.each(severities)('$name', ({ verdict, base, matters, explained, severity }) => {
    expect(severityOf(verdict, base, matters, explained)).toBe(severity)
  })
})

describe('what explains what, and in what order', () => {
  it.each(explained)('$name', ({ findings, thresholds, expect: wanted }) => {
    const got = evaluateFindings(findings, thresholds).map((f) => ({
      rule: f.rule,
      scope: f.scope.id,
      verdict: f.verdict,
      severity: f.severity,
      explained_by: f.explained_by,
    }))
    expect(got).toEqual(wanted)
  })
})
