import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { KeyFigures } from './KeyFigures'
import type { Report, Series } from './types'

const written = (usual: number | null): Series => ({
  ...{ id: 'written', title: 'Written', unit: 'B', note: '', values: [2048], logs: [1] },
  ...{ usual, low: usual, high: usual, theme: 'better' },
})
const report = (usual: number | null, before: readonly string[] = []) =>
  ({
    before,
    period: { kind: 'day', first: '2026-11-20', last: '2026-11-20' },
    trend: { days: ['2026-11-20'], series: [written(usual)], unread: [] },
  }) as unknown as Report
const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent)

it('has no columns for the days before where none of them has logs', () => {
  render(<KeyFigures report={report(null)} />)
  expect(heads()).toEqual(['figure', '20 Nov', '20 Nov to 20 Nov'])
  expect(screen.getAllByRole('cell')).toHaveLength(2)
})

it('says what a figure is held against also where that has no column', () => {
  render(<KeyFigures report={report(1024, ['2026-11-18', '2026-11-19'])} />)
  expect(screen.getByText(/the median of the 2 days with logs of the 28 before/)).toBeVisible()
  const against = screen.getByRole('columnheader', { name: /^against/ })
  expect(against.querySelector('.narrow')?.textContent).toBe('28 days before')
  expect(screen.getByText('+100 %')).toBeInTheDocument()
})
