import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { drawn, expect, fitsWindows, keepsNobodyOutInEitherTheme, open, sample, test } from './stage'

const PORT = Number(process.env.E2E_PORT ?? 8211) + 4
const SERVER = `http://127.0.0.1:${PORT}`
const IOTRIAGE = join(import.meta.dirname, '../../.venv/bin/iotriage')

/** Logs of two days, those of the earlier one of jobs that lose much time. */
const LOGS = [
  '06-shared-indep-1000b-unaligned',
  'lustre-ssf-one-stripe',
  'lustre-shared-misaligned',
  'lustre-imports',
]
const EARLIER = '2025-07-16'

test.describe('a centre', () => {
  let folder = ''
  let server: ChildProcess

  test.beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'iotriage-centre-'))
    const logs = join(folder, 'logs')
    const env = {
      ...process.env,
      IOTRIAGE_DATA_DIR: join(folder, 'data'),
      IOTRIAGE_WAREHOUSE: join(folder, 'warehouse'),
      IOTRIAGE_OPEN_LOOPBACK: '1',
    }
    mkdirSync(logs)
    for (const log of LOGS.flatMap((name) => sample(`darshan_log/${name}`)))
      if (log.endsWith('.darshan')) copyFileSync(log, join(logs, basename(log)))
    expect(spawnSync(IOTRIAGE, ['ingest', logs], { env }).status).toBe(0)
    server = spawn(IOTRIAGE, ['serve', '--port', String(PORT)], { env, stdio: 'ignore' })
    const answers = () =>
      fetch(`${SERVER}/healthz`).then(
        (answer) => answer.status,
        () => 0,
      )
    await expect.poll(answers, { timeout: 60_000 }).toBe(200)
  })
  test.afterAll(() => {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  test('opens the report of the last day; another day names a job that needs help, and its log becomes a case', async ({
    page,
  }) => {
    await open(page, `${SERVER}/centre`)
    await expect(page).toHaveURL(/centre\/2026-11-20$/)

    await test.step('the report of another day', async () => {
      await page.getByLabel('Day', { exact: true }).fill(EARLIER)
      await expect(page).toHaveURL(new RegExp(`centre/${EARLIER}$`))
      await expect(page.getByText('What became of the 3 logs?')).toBeVisible()
      await drawn(page)
      await keepsNobodyOutInEitherTheme(page)
      await fitsWindows(page, [390, 2560])
    })

    await test.step('a row leads to its log, and the log to its case', async () => {
      await page
        .getByRole('listitem')
        .filter({ hasText: 'a cure could save' })
        .first()
        .getByRole('link')
        .click()
      await expect(page.getByRole('heading', { name: 'What was found when it was taken in' })).toBeVisible()
      const said = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
      await keepsNobodyOutInEitherTheme(page)
      await page.getByRole('button', { name: 'Open its case' }).click()
      await page.waitForURL(/\/cases\/[a-z0-9]+/)
      await drawn(page)
      await expect(page.getByRole('heading', { level: 1 })).toContainText(said.split('.')[0] ?? said)
    })
  })
})
