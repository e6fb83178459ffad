import { expect, it } from 'vitest'
import { inWords, short, stepped } from './search'

it('leaves what is no day as the address has it, and goes nowhere from there', () => {
  for (const wrong of ['2026-13-45', 'today', '']) {
    expect(inWords(wrong)).toBe(wrong)
    expect(short(wrong)).toBe(wrong)
    for (const period of [undefined, 'week', 'month'] as const) expect(stepped(wrong, period, 1)).toBe(wrong)
  }
})

it('steps by days, weeks and months', () => {
  expect(stepped('2026-11-30', undefined, 1)).toBe('2026-12-01')
  expect(stepped('2026-11-03', 'week', -1)).toBe('2026-10-27')
  expect(stepped('2026-12-31', 'month', 1)).toBe('2027-01-01')
})
