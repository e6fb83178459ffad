import { describe, expect, it } from 'vitest'
import type { ThresholdInForce } from '../../api/types'
import { entryOf, positionOf, STEPS, slidTo, stepOf, valueAt } from './thresholdInput'

const threshold = (more: Partial<ThresholdInForce>): ThresholdInForce => ({
  id: 't',
  rule: 'r',
  title: 'T',
  unit: 'share',
  value: 0.5,
  default: 0.5,
  stated_by: { document: 'project', section: '', says: '' },
  minimum: 0,
  maximum: 1,
  scale: 'linear',
  site_says: null,
  moved_from: null,
  ...more,
})

describe('typing a threshold', () => {
  it('takes shares in per cent', () => {
    const entry = entryOf(threshold({}), 0.5)
    expect(entry).toMatchObject({ unit: '%' })
    expect(entry.show(0.07)).toBe('7')
    expect(entry.read('7')).toBe(0.07)
    expect(entry.takes).toBe('0\u202f% to 100\u202f%')
  })
  it('takes bytes in the prefix of their default', () => {
    const entry = entryOf(threshold({ unit: 'B', default: 4 * 2 ** 20, maximum: 2 ** 30 }), 4 * 2 ** 20)
    expect(entry).toMatchObject({ unit: 'MiB' })
    expect(entry.read('1.5')).toBe(1.5 * 2 ** 20)
  })
  it.each([
    { default: 10 * 2 ** 30, minimum: 2 ** 20, maximum: 2 ** 50 },
    { default: 0, minimum: 0, maximum: 2 ** 20 },
    { default: 2 ** 20, minimum: 1, maximum: 2 ** 40 },
    { unit: 'B/s', default: 2 ** 30, minimum: 1e6, maximum: 1e12 },
  ] as const)('takes both ends as the slider shows them, and nothing beyond: %o', (more) => {
    const ends = threshold({ unit: 'B', scale: 'log', ...more })
    const { show, read } = entryOf(ends, ends.default)
    expect([0, 1].map((at) => read(show(valueAt(at, ends))))).toEqual([more.minimum, more.maximum])
    expect(read(show(1.01 * more.maximum))).toBeNull()
  })
  it('takes the number of a site, of however many digits', () => {
    const ends = threshold({ unit: 'calls', minimum: 1, maximum: 1_000_000 })
    const { show, read } = entryOf(ends, 1_234_567)
    expect(read(show(1_234_567))).toBe(1_234_567)
  })
  it.each(['', ' ', 'many', '-1', '1e999'])('does not take “%s”', (text) => {
    expect(entryOf(threshold({}), 0.5).read(text)).toBeNull()
  })
  it.each(['0', '0.0', '0,0'])('takes “%s” for the least that a logarithmic line has', (typed) => {
    const seconds = threshold({ unit: 's', default: 1, minimum: 0.1, maximum: 10, scale: 'log' })
    expect(entryOf(seconds, 1).read(typed)).toBe(0.1)
    expect(entryOf({ ...seconds, scale: 'linear' }, 1).read(typed)).toBeNull()
    expect(entryOf({ ...seconds, unit: 'B', minimum: 2 ** 10, maximum: 2 ** 40 }, 2 ** 20).read(typed)).toBe(
      1024,
    )
  })
  it('takes what lies between its range and the number that a site has beyond it, as the server does', () => {
    const entry = entryOf(threshold({ unit: 's', minimum: 0.1, maximum: 10, scale: 'log', value: 0 }), 0)
    expect(entry.takes).toBe('0\u202fs to 10\u202fs')
    expect(['0', '0.05', '10'].map(entry.read)).toEqual([0, 0.05, 10])
    expect(['-0.1', '11'].map(entry.read)).toEqual([null, null])
  })
})

describe('sliding a threshold', () => {
  const log = threshold({ unit: 'calls', minimum: 1, maximum: 1_000_000, scale: 'log' })
  it('reaches both ends exactly', () => {
    expect(valueAt(0, log)).toBe(1)
    expect(valueAt(1, log)).toBe(1_000_000)
    expect(positionOf(1, log)).toBe(0)
    expect(positionOf(5_000_000, log)).toBe(1)
  })
  it('goes by powers where the scale is logarithmic, and by whole things where they are counted', () => {
    expect(valueAt(0.5, log)).toBe(1000)
    expect(positionOf(1000, log)).toBeCloseTo(0.5)
    expect(Number.isInteger(valueAt(0.333, log))).toBe(true)
  })
  it.each([1, 1.4, 1.6, 10, 999, 1_234_567])('goes on from %d with each key, up to its ends', (from) => {
    const keyed = (by: 1 | -1) => {
      const values = [from]
      for (let at = stepOf(from, log); at > 0 && at < STEPS; at = stepOf(values.at(-1) ?? 0, log)) {
        values.push(slidTo(at + by, values.at(-1) ?? 0, log))
      }
      return values
    }
    const up = keyed(1)
    expect(up).toEqual([...new Set(up)].sort((a, b) => a - b))
    const down = keyed(-1)
    expect(down).toEqual([...new Set(down)].sort((a, b) => b - a))
  })
  it('can begin at zero on a logarithmic scale', () => {
    const zero = threshold({ unit: 'B', minimum: 0, maximum: 1e6, scale: 'log' })
    expect(valueAt(0, zero)).toBe(0)
    expect(positionOf(0, zero)).toBe(0)
    expect(valueAt(0.5, zero)).toBe(1000)
  })
})
