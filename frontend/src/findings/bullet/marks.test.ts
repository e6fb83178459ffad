import { expect, it } from 'vitest'
import type { CaseDocument, Finding } from '../../analysis/caseDocument'
import type { CompareLeaf } from '../../analysis/condition'
import { slowOst } from '../../fixtures/documents'
import { marksOf } from './marks'

const [finding] = slowOst.findings.filter((one) => one.scope.kind === 'group')
const [group] = slowOst.groups
const value = (value: number | string) => ({ value, confidence: 'measured', bound: null, where: [] })
const withMetrics = (metrics: Readonly<Record<string, number | string>>): CaseDocument => ({
  ...slowOst,
  groups: slowOst.groups.map((one) => ({
    ...one,
    metrics: Object.fromEntries(Object.entries(metrics).map(([id, each]) => [id, value(each)])),
  })) as unknown as CaseDocument['groups'],
})
const leaf = (metric: string) => ({ kind: 'compare', metric, unit: 'share' }) as CompareLeaf
const said = (metric: string, metrics: Readonly<Record<string, number | string>>) =>
  marksOf(
    leaf(metric),
    { ...finding, scope: { kind: 'group', id: group?.id, label: '' } } as Finding,
    withMetrics(metrics),
  ).map(({ value, says }) => [value, says.replaceAll('\u202f', ' ')])

const OPENS = {
  'expectation.open_statistic': 'quartiles',
  'expectation.open_fraction': 0.2,
  'expectation.open_fraction_of_lower_quartile': 0.4,
  'expectation.documented_open_time': 0.0005,
  'expectation.open_ranks': 64,
}

it('marks what was measured of opening files, as shares of what the comparison is of', () => {
  expect(said('expectation.open_fraction_of_lower_quartile', OPENS)).toEqual([
    [2, 'the median measured by 64 processes at once, 500 µs each'],
    [1, 'lower quartile'],
  ])
  const { 'expectation.open_fraction_of_lower_quartile': _, ...once } = OPENS
  expect(said('expectation.open_fraction', { ...once, 'expectation.open_statistic': 'maximum' })).toEqual([
    [1, 'the best rate measured by 64 processes at once, 500 µs each'],
  ])
})

it('marks nothing where nothing was measured, or once alone', () => {
  expect(said('expectation.open_fraction', {})).toEqual([])
  expect(said('expectation.open_fraction', { ...OPENS, 'expectation.open_statistic': 'range' })).toEqual([
    [0.5, 'lower quartile'],
  ])
})
