import { describe, expect, it } from 'vitest'
import { allAlike, columnOf, extremes, pixelsOf } from './columns'

const values = Float64Array.from([5, 1, 9, 0, 9, 2])

describe('ranks on pixels', () => {
  it('gives each rank a column where there is room', () => {
    expect(pixelsOf(columnOf(values, false), 100).map((p) => p.most)).toEqual([5, 1, 9, 0, 9, 2])
  })
  it('joins neighbours and keeps the most, its rank and the least', () => {
    expect(pixelsOf(columnOf(values, false), 2)).toEqual([
      { most: 9, rank: 2, least: 1 },
      { most: 9, rank: 4, least: 0 },
    ])
  })
  it('sorts by what is most, then by number', () => {
    expect([...columnOf(values, true).ranks]).toEqual([2, 4, 0, 5, 1, 3])
  })
  it('loses no rank among 65,536', () => {
    const many = new Float64Array(65_536)
    many[40_321] = 7
    const found = pixelsOf(columnOf(many, false), 900).filter((p) => p.most > 0)
    expect(found).toEqual([{ most: 7, rank: 40_321, least: 0 }])
  })
  it('is empty without ranks', () => {
    expect(pixelsOf(columnOf(new Float64Array(), false), 100)).toEqual([])
  })
})

describe('extremes', () => {
  it('has the mean, and both ends without saying a rank twice', () => {
    const found = extremes(values, 2)
    expect(found).toEqual({ mean: 26 / 6, none: 1, most: [2, 4], least: [3, 1] })
    expect(extremes(Float64Array.from([3]), 2)).toMatchObject({ most: [0], least: [] })
  })

  it('names nobody who has none of it, where they are many', () => {
    const alone = Float64Array.from([0, 7, 0, 0, 0])
    expect(extremes(alone, 3)).toMatchObject({ none: 4, most: [1], least: [] })
    expect(extremes(alone, 4)).toMatchObject({ none: 4, most: [1], least: [4, 3, 2, 0] })
    expect(extremes(new Float64Array(20), 3)).toMatchObject({ none: 20, most: [], least: [] })
  })
})

it('tells ranks that all have as much from those of which some have more', () => {
  expect(allAlike(Float64Array.of(3, 3, 3))).toBe(true)
  expect(allAlike(Float64Array.of(3, 3, 2))).toBe(false)
})
