import type { HashReply } from './sha256'
import { sha256InPieces } from './sha256Pieces'

const reply = (message: HashReply) => postMessage(message)

addEventListener('message', async ({ data }: MessageEvent<Blob>) => {
  try {
    reply({ hash: await sha256InPieces(data, (share) => reply({ share })) })
  } catch (error) {
    reply({ problem: error instanceof Error ? error.message : String(error) })
  }
})
