import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sha256, sha256InPieces } from './sha256'

const bytes = (n: number) => Uint8Array.from({ length: n }, (_, i) => (i * 131 + 7) % 256)

describe('SHA-256', () => {
  it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 1000, 4 * 1024 * 1024 + 77])('of %d bytes', async (n) => {
    const wanted = createHash('sha256').update(bytes(n)).digest('hex')
    expect(await sha256InPieces(new Blob([bytes(n)]))).toBe(wanted)
    expect(await sha256(new Blob([bytes(n)]))).toBe(wanted)
  })
})
