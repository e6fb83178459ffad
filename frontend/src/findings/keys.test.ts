import { describe, expect, it } from 'vitest'
import type { Finding } from '../analysis/caseDocument'
import { independentSmall } from '../fixtures/documents'
import { alsoOf, foldAround, keyOf, sortFindings } from './keys'

const [triggered] = independentSmall.findings.filter((f) => f.verdict === 'triggered')
const finding = (rule: string, group: string | null, more: Partial<Finding> = {}): Finding => ({
  ...(triggered as Finding),
  rule,
  explained_by: null,
  scope: {
    kind: group ? 'group' : 'job',
    id: group ?? 'job',
    label: group ?? 'the job',
  },
  ...more,
})

describe('findings of one rule on several file groups', () => {
  const findings = [
    finding('independent-shared', 'g1'),
    finding('sync-heavy', null),
    finding('independent-shared', 'g2'),
    finding('independent-shared', 'g3'),
    finding('small-io', 'g1', { explained_by: 'independent-shared' }),
    finding('small-io', 'g2', { explained_by: 'independent-shared' }),
  ]
  const { causes } = sortFindings(findings)

  it('stand as one line under the first in reading order', () => {
    expect(causes.map((c) => keyOf(c.finding))).toEqual(['independent-shared@g1', 'sync-heavy'])
    expect(causes[0]?.also.map((c) => keyOf(c.finding))).toEqual([
      'independent-shared@g2',
      'independent-shared@g3',
    ])
  })

  it('keep what each of them explains', () => {
    expect(causes[0]?.explains.map((c) => keyOf(c.finding))).toEqual(['small-io@g1'])
    expect(causes[0]?.also[0]?.explains.map((c) => keyOf(c.finding))).toEqual(['small-io@g2'])
  })

  it('lose no finding', () => {
    const all = (list: typeof causes): string[] =>
      list.flatMap((c) => [keyOf(c.finding), ...all(c.explains), ...all(c.also)])
    expect(all(causes).sort()).toEqual(findings.map(keyOf).sort())
  })

  it('are found again: the fold around a finding is known', () => {
    const first = causes[0]?.finding as Finding
    expect(foldAround(causes, 'independent-shared@g3')).toBe(alsoOf(first))
    expect(foldAround(causes, 'small-io@g2')).toBe(alsoOf(first))
    expect(foldAround(causes, 'small-io@g1')).toBeNull()
    expect(foldAround(causes, 'nothing')).toBeNull()
  })
})
