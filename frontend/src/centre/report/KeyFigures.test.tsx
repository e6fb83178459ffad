import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { KeyFigures } from './KeyFigures'
import type { Report, Series } from './types'

const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20']
const written = (usual: number | null, before: readonly (number | null)[]): Series => ({
  ...{ id: 'written', title: 'Written', unit: 'B', note: '', values: [...before, 2048], logs: [1] },
  ...{ usual, low: usual, high: usual, theme: 'better' },
})
/** Others have logs on all of the days. */
const report = (usual: number | null, before: readonly (number | null)[]) =>
  ({
    before: DAYS.slice(0, 3),
    period: { kind: 'day', first: '2026-11-20', last: '2026-11-20' },
    trend: { days: DAYS, series: [written(usual, before)], unread: [] },
  }) as unknown as Report
const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent)

it('has no columns for the days before where none of them has logs, nor one for a trend', () => {
  render(<KeyFigures report={report(null, [null, null, null])} />)
  expect(heads()).toEqual(['figure', '20 Nov'])
  expect(screen.getAllByRole('cell')).toHaveLength(1)
})

it.each([
  ['the median of the 2 days', [1024, null, 1024]],
  ['the one day', [null, null, 1024]],
  ['the median of the 3 days', [1024, 0, 2048]],
])('says of how many days with such logs what is usual is: %s', (days, before) => {
  render(<KeyFigures report={report(1024, before)} />)
  expect(screen.getByText(new RegExp(`beside ${days} with logs of the 28 before`))).toBeVisible()
})

it.each([
  [2048 / 22.4, '22.4\u202f×'],
  [1900, '+7.8\u202f%'],
  [2200, '−6.9\u202f%'],
  [2048 * 200, 'over 99\u202f% less'],
])('says against %d what the sentences of the report say, with as many digits: %s', (usual, words) => {
  const { container } = render(<KeyFigures report={report(usual, [usual, null, usual])} />)
  expect(container.querySelectorAll('td')[2]?.textContent).toBe(words)
})

it('says what a figure is held against also where that has no column', () => {
  render(<KeyFigures report={report(1024, [1024, null, 1024])} />)
  const against = screen.getByRole('columnheader', { name: /^against/ })
  expect(heads().at(-1)).toBe('17 Nov to 20 Nov')
  expect(against.querySelector('.narrow')?.textContent).toBe('28 days before')
  expect(screen.getByText('+100 %')).toBeInTheDocument()
  for (const usual of [2048, 2040, 2056]) {
    const { container } = render(<KeyFigures report={report(usual, [usual, null, usual])} />)
    expect(container.querySelectorAll('td')[2]).toHaveTextContent('as usual')
  }
})
