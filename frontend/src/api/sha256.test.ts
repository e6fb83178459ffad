import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sha256 } from './sha256'
import { sha256InPieces } from './sha256Pieces'

const bytes = (n: number) => Uint8Array.from({ length: n }, (_, i) => (i * 131 + 7) % 256)

describe('SHA-256', () => {
  it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 1000, 4 * 1024 * 1024 + 77])('of %d bytes', async (n) => {
    const wanted = createHash('sha256').update(bytes(n)).digest('hex')
    expect(await sha256InPieces(new Blob([bytes(n)]), () => {})).toBe(wanted)
    expect(await sha256(new Blob([bytes(n)]), () => {})).toBe(wanted)
  })

  it('says after each piece how far it is, and reads no more than a piece at once', async () => {
    const shares: number[] = []
    const read: number[] = []
    const file = new Blob([bytes(10 * 1024 * 1024)])
    const slice = file.slice.bind(file)
    file.slice = (from, to) => {
      const piece = slice(from, to)
      read.push(piece.size)
      return piece
    }
    await sha256InPieces(file, (share) => shares.push(share))
    expect(shares).toEqual([0.4, 0.8, 1])
    expect(Math.max(...read)).toBe(4 * 1024 * 1024)
  })
})
