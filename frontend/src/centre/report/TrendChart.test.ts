import { describe, expect, it } from 'vitest'
import { pathOf } from './TrendChart'

describe('A line of days', () => {
  it('is broken where a day has no figure', () => {
    const at = (n: number) => n
    expect(pathOf([1, 2, null, 4, 5], at, at)).toBe('M0.0 1.0L1.0 2.0M3.0 4.0L4.0 5.0')
    expect(pathOf([null, null], at, at)).toBe('')
  })
})
