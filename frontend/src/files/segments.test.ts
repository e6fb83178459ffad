import { describe, expect, it } from 'vitest'
import type { FileGroupRow } from '../api/types'
import { flat, folded, type Place, placeAt } from './segments'

const group = (id: string, files: number) => ({ group: id, files }) as FileGroupRow
const said = (place: Place | null): string => {
  if (place === null) return 'nothing'
  if (place.kind === 'later') return 'later'
  return place.kind === 'group' ? place.group.group : `${place.group?.group ?? 'all'} ${place.index}`
}

describe('the lines of the file table', () => {
  it('are the files one by one', () => {
    const lines = flat(100_000)
    expect(lines.total).toBe(100_000)
    expect([0, 99_999, 100_000, -1].map((n) => said(placeAt(lines, n)))).toEqual([
      'all 0',
      'all 99999',
      'nothing',
      'nothing',
    ])
  })

  it('are groups, with their files below where they are unfolded, and what is yet to come', () => {
    const lines = folded([group('a', 3), group('b', 1), group('c', 2)], new Set(['a', 'b']), 2)
    expect(Array.from({ length: lines.total + 1 }, (_, n) => said(placeAt(lines, n)))).toEqual([
      'a',
      'a 0',
      'a 1',
      'a 2',
      'b 0',
      'c',
      'later',
      'later',
      'nothing',
    ])
  })

  it('are none where there are no files', () => {
    expect(placeAt(flat(0), 0)).toBeNull()
  })
})
