import { describe, expect, it } from 'vitest'
import vectors from '../../../backend/tests/vectors/decisions.json'
import type {
  Condition,
  Headline,
  Metric,
  Severity,
  StoredDocument,
  ThresholdInForce,
  Verdict,
} from '../api/types'
import type { CaseDocument } from './caseDocument'
import { type Answer, answered, evidenceThatSettles, leavesOf } from './condition'
import { decide, evaluate } from './evaluate'
import { severityOf, verdictOf } from './order'

/** The file that both the page and the server are held to. */
interface Vectors {
  empty_document: StoredDocument
  conditions: {
    name: string
    condition: Condition
    metrics: Record<string, Pick<Metric, 'value' | 'bound'>>
    thresholds: Record<string, number>
    answer: Answer
  }[]
  settling: {
    name: string
    requires: Condition
    condition: Condition
    metrics: Record<string, Pick<Metric, 'value' | 'settled_by'>>
    settled_by: string[]
  }[]
  verdicts: { name: string; requires: Answer; condition: Answer; verdict: Verdict }[]
  severities: {
    name: string
    verdict: Verdict
    base: Severity
    weighed: boolean
    significant: Answer
    explained: boolean
    small_share?: boolean
    severity: Severity
  }[]
  decisions: {
    name: string
    document: Partial<StoredDocument>
    moves: Record<string, number>
    expect: {
      headline: Headline
      findings: object[]
      unanswered: Record<string, string[]>
    }
  }[]
}

const { empty_document, conditions, settling, verdicts, severities, decisions } = vectors as Vectors

const whole = ({ value, bound }: Pick<Metric, 'value' | 'bound'>, id: string): Metric => ({
  id,
  title: id,
  unit: '1',
  value,
  bound,
  confidence: null,
  reason: null,
  settled_by: [],
  where: [],
})

/** The vectors leave out experiments, of which they have none. */
const withoutTrials = (document: StoredDocument): StoredDocument => ({
  ...document,
  findings: document.findings.map((finding) =>
    'says' in finding && finding.says ? { ...finding, says: { ...finding.says, trials: [] } } : finding,
  ),
})

describe('conditions', () => {
  it.each(conditions)('$name', ({ condition, metrics, thresholds, answer }) => {
    const known = Object.fromEntries(Object.entries(metrics).map(([id, m]) => [id, whole(m, id)]))
    const inForce = Object.fromEntries(
      Object.entries(thresholds).map(([id, value]) => [id, { id, value } as ThresholdInForce]),
    )
    expect(answered(condition, known, inForce).answer).toBe(answer)
  })
})

describe('what could decide it', () => {
  it.each(settling)('$name', ({ requires, condition, metrics, settled_by: wanted }) => {
    const known = Object.fromEntries(
      Object.entries(metrics).map(([id, m]) => [
        id,
        { ...whole({ ...m, bound: null }, id), settled_by: m.settled_by },
      ]),
    )
    const applies = answered(requires, known, {})
    expect(evidenceThatSettles(applies, answered(condition, known, {}))).toEqual(wanted)
  })
})

describe('verdicts', () => {
  it.each(verdicts)('$name', ({ requires, condition, verdict }) => {
    expect(verdictOf(requires, condition)).toBe(verdict)
  })
})

describe('severities', () => {
  it.each(severities)('$name', ({ verdict, base, severity, small_share: smallShare = false, ...rest }) => {
    expect(severityOf(verdict, base, { ...rest, smallShare })).toBe(severity)
  })
})

describe.each([false, true])('whole documents, their findings backwards: %s', (backwards) => {
  it.each(decisions)('$name', ({ document, moves, expect: wanted }) => {
    const stored = withoutTrials({ ...empty_document, ...document })
    const findings = backwards ? stored.findings.toReversed() : stored.findings
    const found = evaluate(decide({ ...stored, findings }), moves)
    expect(found.headline).toEqual(wanted.headline)
    expect(found.findings.map(said)).toEqual(wanted.findings)
    for (const [rule, reasons] of Object.entries(wanted.unanswered)) {
      expect(unanswered(found, rule)).toEqual(reasons)
    }
    expect(evaluate(found, moves)).toEqual(found)
  })
})

const said = ({
  rule,
  scope,
  verdict,
  severity,
  explained_by,
  advice,
}: CaseDocument['findings'][number]) => ({
  rule,
  scope: scope.id,
  verdict,
  severity,
  explained_by,
  advice: advice.map(({ text, command, withheld }) => ({
    text,
    command,
    ...(withheld !== null && { withheld }),
  })),
})

function unanswered({ findings }: CaseDocument, rule: string): (string | null)[] {
  const finding = findings.find((one) => one.rule === rule)
  const nodes = finding ? [finding.requires, finding.condition] : []
  return nodes
    .flatMap(leavesOf)
    .filter((leaf) => leaf.answer === null)
    .map((leaf) => leaf.reason)
}
