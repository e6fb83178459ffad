import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { textWidth } from '../../charts/frame/text'
import { pathOf, TrendChart } from './TrendChart'
import type { Series } from './types'

describe('A line of days', () => {
  it('is broken where a day has no figure', () => {
    const at = (n: number) => n
    expect(pathOf([1, 2, null, 4, 5], at, at)).toBe('M0.0 1.0L1.0 2.0M3.0 4.0L4.0 5.0')
    expect(pathOf([null, null], at, at)).toBe('')
  })

  const days = ['2026-11-18', '2026-11-19', '2026-11-20']
  const of = (values: (number | null)[]): Series => ({
    id: 'read',
    title: 'Bytes read',
    note: 'Of all jobs.',
    unit: 'share',
    values,
    usual: null,
    low: null,
    high: null,
  })

  it('is not drawn of nothing, and a day of which no log has the figure is not called one without logs', () => {
    const { rerender } = render(<TrendChart series={of([0, null, 0])} days={days} />)
    expect(screen.queryByRole('img')).toBeNull()
    expect(screen.getByText(/^0.% on each day that has it\. Of all jobs\.$/)).toBeVisible()
    rerender(<TrendChart series={of([0, 0, 0])} days={days} />)
    expect(screen.getByText(/^0.% on each day\. Of all jobs\.$/)).toBeVisible()
    rerender(<TrendChart series={of([0, null, 0.5])} days={days} />)
    expect(screen.getByText('no log has it')).toBeInTheDocument()
  })

  it('names process-hours in full, however many a machine has', () => {
    const series: Series = { ...of([6_000_000, 8_000_000]), unit: 'process-hours' }
    render(<TrendChart series={series} days={days.slice(1)} />)
    const named = screen.getByText('8,000,000', { selector: 'text' })
    expect(Number(named.getAttribute('x'))).toBeGreaterThanOrEqual(textWidth('8,000,000'))
  })

  it('has each day of a year in its table, the last one too', () => {
    const year = Array.from({ length: 366 }, (_, n) =>
      new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10),
    )
    render(<TrendChart series={of(year.map((_, n) => n / 1000))} days={year} />)
    const rows = screen.getAllByRole('row', { hidden: true })
    expect(rows).toHaveLength(1 + year.length)
    expect(rows.at(-1)).toHaveTextContent(/31 Dec 2024/)
  })

  it('is not drawn of one day alone', () => {
    const { rerender } = render(<TrendChart series={of([null, null, 0.5])} days={days} />)
    expect(screen.queryByRole('img')).toBeNull()
    expect(screen.getByText(/50.% on the last day\. Of all jobs\. A line needs two days\./)).toBeVisible()
    rerender(<TrendChart series={of([null, 0.25, 0.5])} days={days} />)
    expect(screen.getByRole('img')).toBeVisible()
    rerender(<TrendChart series={of([0.25, 0.5, null])} days={days} />)
    expect(screen.getByText(/50.% on the last day that has it\. Of all jobs\./)).toBeVisible()
  })
})
