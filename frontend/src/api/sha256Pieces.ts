import { createSHA256 } from 'hash-wasm'

const PIECE = 4 * 1024 * 1024

/** SHA-256 of a file in hexadecimal, read a piece at a time, so that its size does not matter to memory. `onShare` hears
 * after each piece how much of the file is done, from 0 to 1. */
export async function sha256InPieces(file: Blob, onShare: (share: number) => void): Promise<string> {
  const hash = await createSHA256()
  for (let at = 0; at < file.size; at += PIECE) {
    hash.update(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()))
    onShare(Math.min(1, (at + PIECE) / file.size))
  }
  return hash.digest()
}
