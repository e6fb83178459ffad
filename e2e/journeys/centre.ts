import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { IOTRIAGE, type OwnServer, ownServer } from './ownServer'
import { expect, sample, test } from './stage'

/** Logs of two days, those of the earlier one of jobs that lose much time. */
const LOGS = [
  '06-shared-indep-1000b-unaligned',
  'lustre-ssf-one-stripe',
  'lustre-shared-misaligned',
  'lustre-imports',
]
export const LATER = '2026-11-20'
export const EARLIER = '2025-07-16'

/** While the tests of the file run: a server of its own that has taken in the logs of a centre's two days. Its address;
 * the port is that of the journeys and `beyond`. Who opens `entrance()` first is logged in: the bar holds all that it may. */
export function centreServer(beyond: number): { readonly server: string; readonly entrance: () => string } {
  const port = Number(process.env.E2E_PORT ?? 8211) + beyond
  const address = `http://127.0.0.1:${port}`
  let folder = ''
  let server: OwnServer | undefined
  let env = process.env

  test.beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'iotriage-centre-'))
    const logs = join(folder, 'logs')
    env = {
      ...process.env,
      IOTRIAGE_DATA_DIR: join(folder, 'data'),
      IOTRIAGE_WAREHOUSE: join(folder, 'warehouse'),
      IOTRIAGE_SAMPLES_DIR: folder,
    }
    mkdirSync(logs)
    for (const log of LOGS.flatMap((name) => sample(`darshan_log/${name}`)))
      if (log.endsWith('.darshan')) copyFileSync(log, join(logs, basename(log)))
    expect(spawnSync(IOTRIAGE, ['ingest', logs], { env }).status).toBe(0)
    server = await ownServer(port, env)
  })
  test.afterAll(async () => {
    await server?.end()
    rmSync(folder, { recursive: true, force: true })
  })
  const entrance = () =>
    spawnSync(IOTRIAGE, ['access', 'open', '--port', String(port)], { env, encoding: 'utf8' }).stdout.trim()
  return { server: address, entrance }
}
