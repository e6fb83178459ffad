/**
 * SHA-256 of a file, in hexadecimal. The browser's own where there is one; on plain HTTP it is withheld, and then
 * this one (FIPS 180-4) reads the file piece by piece.
 */
const K = Uint32Array.from(firstPrimes(64), (p) => fraction(Math.cbrt(p)))
const START = Uint32Array.from(firstPrimes(8), (p) => fraction(Math.sqrt(p)))
const PIECE = 4 * 1024 * 1024
/** Larger files are not held in memory whole. */
const WHOLE = 64 * 1024 * 1024

export async function sha256(file: Blob): Promise<string> {
  if (globalThis.crypto?.subtle && file.size <= WHOLE) {
    return hex(
      new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(await file.arrayBuffer()))),
    )
  }
  return sha256InPieces(file)
}

export async function sha256InPieces(file: Blob): Promise<string> {
  const state = START.slice()
  const words = new Uint32Array(64)
  let at = 0
  for (; at + 64 <= file.size; ) {
    const end = Math.min(at + PIECE, file.size - (file.size % 64))
    const piece = new DataView(await file.slice(at, end).arrayBuffer())
    for (let block = 0; block < piece.byteLength; block += 64) compress(state, words, piece, block)
    at = end
  }
  const rest = new Uint8Array(await file.slice(at).arrayBuffer())
  const tail = new Uint8Array(rest.length < 56 ? 64 : 128)
  tail.set(rest)
  tail[rest.length] = 0x80
  const view = new DataView(tail.buffer)
  view.setBigUint64(tail.length - 8, BigInt(file.size) * 8n)
  for (let block = 0; block < tail.length; block += 64) compress(state, words, view, block)
  const out = new DataView(new ArrayBuffer(32))
  state.forEach((word, i) => {
    out.setUint32(i * 4, word)
  })
  return hex(new Uint8Array(out.buffer))
}

function compress(state: Uint32Array, w: Uint32Array, data: DataView, offset: number): void {
  const at = (i: number) => w[i] as number
  for (let i = 0; i < 16; i++) w[i] = data.getUint32(offset + i * 4)
  for (let i = 16; i < 64; i++) {
    const s0 = rotate(at(i - 15), 7) ^ rotate(at(i - 15), 18) ^ (at(i - 15) >>> 3)
    const s1 = rotate(at(i - 2), 17) ^ rotate(at(i - 2), 19) ^ (at(i - 2) >>> 10)
    w[i] = (at(i - 16) + s0 + at(i - 7) + s1) | 0
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] as number) + at(i)) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word
}

const rotate = (x: number, n: number): number => (x >>> n) | (x << (32 - n))
const hex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')

/** The first 32 bits of the fractional part. */
function fraction(x: number): number {
  return Math.floor((x - Math.floor(x)) * 2 ** 32)
}

function firstPrimes(n: number): number[] {
  const primes: number[] = []
  for (let i = 2; primes.length < n; i++) if (primes.every((p) => i % p !== 0)) primes.push(i)
  return primes
}
