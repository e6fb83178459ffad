import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from './stage'

export const IOTRIAGE = join(import.meta.dirname, '../../.venv/bin/iotriage')

/** A server beside that of all journeys, set otherwise. */
export interface OwnServer {
  readonly address: string
  /** Waits until it has ended: then its folder can go. */
  readonly end: () => Promise<void>
}

/** Starts one, which answers when it is there. One that does not is ended: left behind it would keep its port, and answer the
 * next try without its data. */
export async function ownServer(port: number, env: NodeJS.ProcessEnv): Promise<OwnServer> {
  const address = `http://127.0.0.1:${port}`
  const server = spawn(IOTRIAGE, ['serve', '--port', String(port)], { env, stdio: 'ignore' })
  const hasEnded = () => server.exitCode !== null || server.signalCode !== null
  const end = async () => {
    if (hasEnded()) return
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await ended
  }
  const answers = async (): Promise<number | string> =>
    hasEnded()
      ? 'it ended by itself'
      : fetch(`${address}/healthz`).then(
          (answer) => answer.status,
          () => 0,
        )
  try {
    await expect.poll(answers, { timeout: 60_000 }).toBe(200)
  } catch (why) {
    await end()
    throw why
  }
  return { address, end }
}
