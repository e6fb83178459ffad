import { expect, it } from 'vitest'
import { byteTicks } from './byteTicks'

const GIB = 2 ** 30

it.each([
  [35 * GIB, 3, 40 * GIB, [0, 10, 20, 30, 40].map((gib) => gib * GIB)],
  [80 * 2 ** 20, 4, 80 * 2 ** 20, [0, 20, 40, 60, 80].map((mib) => mib * 2 ** 20)],
  [700, 2, 1000, [0, 500, 1000]],
  [0, 2, 1, [0, 0.5, 1]],
])('%d bytes have ticks that are round in their unit', (peak, about, top, ticks) => {
  const made = byteTicks(peak, about)
  expect({ ...made, ticks: made.ticks.map(({ at }) => at) }).toEqual({ top, ticks })
})
