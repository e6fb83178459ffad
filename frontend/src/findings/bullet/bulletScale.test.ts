import { expect, it } from 'vitest'
import type { CompareLeaf } from '../../analysis/condition'
import type { ThresholdInForce } from '../../api/types'
import { bulletScale } from './bulletScale'

const scale = (unit: 'B' | 'B/s' | 'calls', minimum: number, maximum: number) => {
  const leaf = { kind: 'compare', unit, value: null, operator: '<', threshold: maximum } as CompareLeaf
  const { low, high } = bulletScale(leaf, { minimum, maximum, scale: 'log' } as ThresholdInForce)
  return [low, high].map((words) => words.replaceAll('\u202f', ' '))
}

it('names both ends of a scale of bytes by the same units, and leaves counts as they are', () => {
  expect(scale('B/s', 100_000, 1e11)).toEqual(['97.7 KiB/s', '93.1 GiB/s, log'])
  expect(scale('B', 1000, 1_000_000)).toEqual(['1,000 B', '977 KiB, log'])
  expect(scale('B', 4096, 1 << 20)).toEqual(['4 KiB', '1 MiB, log'])
  expect(scale('calls', 10, 1_000_000_000)).toEqual(['10 calls', '1,000,000,000 calls, log'])
})
