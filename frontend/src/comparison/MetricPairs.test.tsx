import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { Comparison } from '../api/types'
import { comparisons } from '../fixtures/comparisons'
import { MetricPairs } from './MetricPairs'

it('cuts no quantity where there is room for its name', () => {
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1180)
  const comparison: Comparison = comparisons.change
  const title = 'Ranks that would share the bytes of the largest shared file equally'
  const metrics = comparison.metrics.map((row) => ({ ...row, title }))
  render(<MetricPairs comparison={{ ...comparison, metrics }} against={0} run={1} />)
  expect(screen.getAllByText(title, { selector: 'svg text' }).length).toBeGreaterThan(0)
  expect(screen.queryByText(/…$/)).toBeNull()
})
