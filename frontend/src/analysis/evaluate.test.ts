import { describe, expect, it } from 'vitest'
import vectors from '../../../backend/tests/vectors/conditions.json'
import type { Answer, ConditionNode, Finding, Severity, Verdict } from '../api/types'
import { independentSmall } from '../fixtures/documents'
import { decide, evaluate, evaluateFindings, severityOf, verdictOf } from './evaluate'

/** What the vectors leave out of a finding. */
const UNSTATED = {
  title: '',
  confidence: 'measured',
  impact: null,
  headline: null,
  summary: null,
  advice: [],
  citations: [],
  locators: [],
  supports: [],
  clear_title: '',
  settle: [],
  would_say: null,
  error: null,
} as const

type Stated = Omit<Finding, keyof typeof UNSTATED> & Partial<Finding>

const whole = (stated: readonly Stated[]): Finding[] => stated.map((f) => ({ ...UNSTATED, ...f }) as Finding)

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
    findings: Stated[]
    thresholds: Record<string, number>
    expect: {
      rule: string
      scope: string
      verdict: Verdict
      severity: Severity
      explained_by: string | null
    }[]
  }[]
  advice: {
    name: string
    findings: Stated[]
    thresholds: Record<string, number>
    expect: {
      rule: string
      scope: string
      advice: { text: string; command: string | null; withheld?: string }[]
    }[]
  }[]
}

const { conditions, verdicts, severities, explained, advice } = vectors as unknown as Vectors

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
    const got = evaluateFindings(whole(findings), thresholds).map((f) => ({
      rule: f.rule,
      scope: f.scope.id,
      verdict: f.verdict,
      severity: f.severity,
      explained_by: f.explained_by,
    }))
    expect(got).toEqual(wanted)
  })
})

describe('lines for one directory', () => {
  it.each(advice)('$name', ({ findings, thresholds, expect: wanted }) => {
    const decided = evaluateFindings(whole(findings), thresholds)
    const got = decided.map((f) => ({
      rule: f.rule,
      scope: f.scope.id,
      advice: f.advice.map(({ text, command, withheld }) =>
        withheld === null ? { text, command } : { text, command, withheld },
      ),
    }))
    expect(got).toEqual(wanted)
    expect(evaluateFindings(decided, thresholds)).toEqual(decided)
  })
})

describe('the sentence on top', () => {
  const NO_IO = 'This run did no I/O that the evidence shows.'
  const served = {
    ...independentSmall,
    headline: { ...independentSmall.headline, sentence: NO_IO, rule: null },
  }
  const before = Object.fromEntries(served.thresholds.map((t) => [t.id, t.value]))
  const first = served.findings.find((f) => f.verdict === 'triggered')

  it('is the server’s as long as every finding answers as before', () => {
    expect(evaluate(served, before).headline.sentence).toBe(NO_IO)
  })

  it('is of the first finding about the I/O, not about the case, once an answer has changed', () => {
    const moved = { ...before, 'independent-shared.calls-fraction': 1.01 }
    const about = { ...first, rule: 'about-the-case', matters: null, leads: false } as Finding
    const got = evaluate({ ...served, findings: [about, ...served.findings] }, moved)
    expect(got.findings.map((f) => f.rule)).toContain('about-the-case')
    expect(got.headline.rule).not.toBe('about-the-case')
    expect(got.headline.sentence).toBe('The data moves in many small accesses.')
  })
})
