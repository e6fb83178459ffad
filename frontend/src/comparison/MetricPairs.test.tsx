import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { Comparison } from '../api/types'
import { comparisons } from '../fixtures/comparisons'
import { MetricPairs } from './MetricPairs'

it('cuts no quantity where there is room for its name', () => {
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1180)
  const comparison: Comparison = comparisons.change
  const title = 'Ranks that effectively move the largest shared file'
  const metrics = comparison.metrics.map((row) => ({ ...row, title }))
  render(<MetricPairs comparison={{ ...comparison, metrics }} against={0} run={1} />)
  expect(screen.getAllByText(title, { selector: 'svg text' }).length).toBeGreaterThan(0)
  expect(screen.queryByText(/…$/)).toBeNull()
})

it('says of what is the most that it can be that it is so, as the table of the runs does', () => {
  const comparison: Comparison = comparisons.change
  expect(comparison.runs.map(({ io_time_at_most }) => io_time_at_most)).toEqual([true, true])
  render(<MetricPairs comparison={comparison} against={0} run={1} />)
  const row = screen.getByRole('row', { name: /^I\/O time of the slowest rank ≤/ })
  expect(row).toHaveTextContent(/≤ 9\.58.s≤ 0\.68.s/)
  expect(screen.getByRole('row', { name: /^Run time/ })).not.toHaveTextContent('≤')
})
