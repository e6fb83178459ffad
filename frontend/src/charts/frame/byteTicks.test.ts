import { expect, it } from 'vitest'
import { byteTicks } from './byteTicks'

const GIB = 2 ** 30

it.each([
  [35 * GIB, 3, 40 * GIB, [0, 10, 20, 30, 40].map((gib) => gib * GIB)],
  [80 * 2 ** 20, 4, 80 * 2 ** 20, [0, 20, 40, 60, 80].map((mib) => mib * 2 ** 20)],
  [700, 2, 1024, [0, 512, 1024]],
  [0, 2, 1, [0, 1]],
])('%d bytes have ticks that are round in their unit', (peak, about, top, ticks) => {
  const made = byteTicks(peak, about)
  expect({ ...made, ticks: made.ticks.map(({ at }) => at) }).toEqual({ top, ticks })
})

it.each([
  [1.2 * GIB, 3, ['0', '0.5 GiB', '1.0 GiB', '1.5 GiB']],
  [136 * 2 ** 20, 3, ['0', '50 MiB', '100 MiB', '150 MiB']],
  [1010 * 2 ** 20, 2, ['0', '0.5 GiB', '1.0 GiB']],
  [700, 2, ['0', '0.5 KiB', '1.0 KiB']],
  [977 * 1024, 4, ['0', '0.2 MiB', '0.4 MiB', '0.6 MiB', '0.8 MiB', '1.0 MiB']],
  [1, 4, ['0', '1 B']],
])('%d bytes have ticks that are said in one unit, with the same decimals', (peak, about, words) => {
  expect(byteTicks(peak, about).ticks.map((tick) => tick.words.replace(/\u202f/g, ' '))).toEqual(words)
})

it('says bytes each second', () => {
  expect(byteTicks(2 * GIB, 2, '/s').ticks.at(-1)?.words).toBe('2\u202fGiB/s')
})
