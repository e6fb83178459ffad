import { expect, it } from 'vitest'
import { everyKind, manySmallFiles, oneStripe, recordOverflow, tunedRun } from '../../fixtures/documents'
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

it('says a figure once, whether it is required, asked for again, or merely there', () => {
  const twice = [everyKind, manySmallFiles, oneStripe, recordOverflow, tunedRun].flatMap((document) =>
    document.findings.flatMap((finding) => {
      if (!('condition' in finding)) return []
      const rows = rowsOf(finding).filter(({ decides }) => decides)
      const compared = rows.filter(({ leaf }) => leaf.kind === 'compare')
      const names = compared.map(({ leaf }) =>
        'threshold_id' in leaf ? `${leaf.metric} ${leaf.operator} ${leaf.threshold_id}` : leaf.metric,
      )
      const there = rows.filter(
        ({ leaf }) => leaf.kind === 'present' && compared.some((other) => other.leaf.metric === leaf.metric),
      )
      return [
        ...names.filter((name, i) => names.indexOf(name) !== i),
        ...there.map(({ leaf }) => `${finding.rule}: ${leaf.metric} is there`),
      ]
    }),
  )
  expect(twice).toEqual([])
})
