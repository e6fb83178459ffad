/** What the worker says: how far it is, and at last the hash or why there is none. */
export type HashReply = { readonly share: number } | { readonly hash: string } | { readonly problem: string }

/** The worker's script did not come. */
export class WorkerMissing extends Error {}

/** Read whole for the browser's own digest, a few at a time; larger ones are not held in memory. */
const WHOLE = 64 * 1024 * 1024

/**
 * SHA-256 of a file, in hexadecimal, without holding up the page: the browser's own for a small file, where there is one
 * (on plain HTTP it is withheld); else a worker's. Throws where the bytes cannot be read, and WorkerMissing where the
 * worker's script does not come.
 */
export async function sha256(file: Blob, onShare: (share: number) => void): Promise<string> {
  if (globalThis.crypto?.subtle && file.size <= WHOLE) {
    const whole = new Uint8Array(await file.arrayBuffer())
    return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', whole)))
  }
  return sha256InWorker(file, onShare)
}

function sha256InWorker(file: Blob, onShare: (share: number) => void): Promise<string> {
  const worker = new Worker(new URL('./sha256.worker.ts', import.meta.url), { type: 'module' })
  const ended = new Promise<string>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<HashReply>) => {
      if ('share' in data) onShare(data.share)
      else if ('hash' in data) resolve(data.hash)
      else reject(new Error(data.problem))
    }
    worker.onerror = () => reject(new WorkerMissing())
  })
  worker.postMessage(file)
  return ended.finally(() => worker.terminate())
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
