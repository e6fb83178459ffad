import { describe, expect, it } from 'vitest'
import { toOsts } from './Schematic'

const ends = (used: number, total: number | null, stripes: number | null, files: number, drawn: number) =>
  toOsts({ osts: { used, total }, stripes }, files, drawn).map(([, ost]) => ost)

describe('the lines from files to OSTs', () => {
  it('are spread over all that are used, where they are fewer', () => {
    expect(ends(24, 24, 1, 6, 12)).toEqual([0, 2, 4, 6, 8, 10])
    expect(ends(12, 12, 2, 3, 12)).toEqual([0, 2, 4, 6, 8, 10])
  })

  it('leave out none that is used, where they are more', () => {
    expect(new Set(ends(12, 12, 4, 6, 12)).size).toBe(12)
    expect(new Set(ends(12, null, null, 5, 12)).size).toBe(12)
  })

  it('end on no target that is not used', () => {
    expect(Math.max(...ends(6, 24, 1, 6, 12))).toBeLessThan(3)
  })
})
