import { describe, expect, it } from 'vitest'
import { type Box, boxOfKey, clamped, contains, moved, zoomed } from './box'

const full: Box = { t0: 0, t1: 100, y0: 0, y1: 64 }
const least = { t: 0.001, y: 1 }

describe('a window of the plane', () => {
  it('keeps the point under the pointer where it is', () => {
    expect(zoomed({ t0: 20, t1: 60, y0: 0, y1: 64 }, { t: 30, y: 16 }, 0.5, 1)).toEqual({
      t0: 25,
      t1: 45,
      y0: 0,
      y1: 64,
    })
  })
  it('is moved back, not cut, where it reaches out', () => {
    expect(clamped(moved({ t0: 90, t1: 100, y0: 0, y1: 8 }, 0.5, -1), full, least)).toEqual({
      t0: 90,
      t1: 100,
      y0: 0,
      y1: 8,
    })
  })
  it('never gets larger than the whole, nor smaller than one row', () => {
    expect(clamped({ t0: -50, t1: 500, y0: 3.2, y1: 3.4 }, full, least)).toEqual({
      t0: 0,
      t1: 100,
      y0: 2.8,
      y1: 3.8,
    })
  })
  it.each([
    ['ArrowRight', false, { t0: 42, t1: 52, y0: 16, y1: 32 }],
    ['ArrowUp', false, { t0: 40, t1: 50, y0: 12.8, y1: 28.8 }],
    ['+', false, { t0: 42.5, t1: 47.5, y0: 16, y1: 32 }],
    ['*', true, { t0: 40, t1: 50, y0: 20, y1: 28 }],
    ['-', false, { t0: 35, t1: 55, y0: 16, y1: 32 }],
    ['0', false, full],
  ])('answers the key %s (shift: %s)', (key, shift, box) => {
    expect(boxOfKey(key, shift, { t0: 40, t1: 50, y0: 16, y1: 32 }, full)).toEqual(box)
  })
  it('leaves other keys to the page', () => {
    expect(boxOfKey('Tab', false, full, full)).toBeNull()
  })
  it('any steps of any keys stay within the whole', () => {
    let box = full
    let seed = 7
    const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', '+', '+', '+', '-']
    for (let i = 0; i < 2000; i++) {
      seed = (seed * 48271) % 2147483647
      const key = keys[seed % keys.length] ?? '+'
      box = clamped(boxOfKey(key, seed % 3 === 0, box, full) ?? box, full, least)
      expect(contains({ t0: -1e-9, t1: 100 + 1e-9, y0: -1e-9, y1: 64 + 1e-9 }, box)).toBe(true)
      expect(box.t1 - box.t0).toBeGreaterThanOrEqual(least.t * 0.999)
    }
  })
})
