import { expect, it } from 'vitest'
import { oneStripe } from '../../fixtures/documents'
import { rowsOf } from './BulletTable'

it('shows a comparison once that several alternatives hold, and as one that decides where it does in any', () => {
  const finding = oneStripe.findings.find(({ rule }) => rule === 'single-aggregator')
  if (!finding) throw new Error('the fixture has no such finding')
  const once = rowsOf(finding)
  const condition = { kind: 'any_of', answer: true, of: [finding.condition, finding.condition] } as const
  expect(rowsOf({ ...finding, condition })).toEqual(once)
  const told = once
    .filter(({ role }) => role === 'condition')
    .map(({ leaf }) => `${leaf.metric} ${leaf.kind === 'compare' ? leaf.threshold_id : ''}`)
  expect(new Set(told).size).toBe(told.length)
  expect(once.some(({ decides, role }) => decides && role === 'condition')).toBe(true)
})
