import { expect, it } from 'vitest'
import { oneStripe, recordOverflow, tunedRun } from '../../fixtures/documents'
import { boundOf, rowsOf } from './BulletTable'

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

it('says of a figure that it is the least or the most that it can be', () => {
  const said = (document: typeof tunedRun, metric: string) => {
    const rows = document.findings.flatMap((finding) => ('condition' in finding ? rowsOf(finding) : []))
    const row = rows.find(({ leaf }) => leaf.metric === metric && leaf.kind === 'compare')
    return row && boundOf(row.leaf, document)
  }
  expect(said(tunedRun, 'job.io_time_fraction')).toBe('at most')
  expect(said(oneStripe, 'job.io_time_fraction')).toBeNull()
  expect(said(recordOverflow, 'posix.data_opens')).toBe('at least')
})
