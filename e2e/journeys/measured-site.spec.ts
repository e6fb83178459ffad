import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OwnServer, ownServer } from './ownServer'
import { diagnose, expect, findingRow, sample, test } from './stage'

const PORT = Number(process.env.E2E_PORT ?? 8211) + 2
const JOB = sample('darshan_log/lustre-theta-1m-stripes')

/** GiB/s that ior-easy wrote, collectively into one file, in five months. */
const WRITTEN = [9.1, 9.4, 8.8, 9.2, 9]

/** An IO500 result as the program leaves it: 256 processes, on the file system that the job wrote to. */
const result = (rate: number, month: number) => `\
version         = io500-sc23_v1
config-hash     = 0F1E2D3C
result-dir      = ./results/2026.0${month}.12-10.00.00
mode            = standard
; START 2026-0${month}-12 10:00:00

[run]
procs           = 256

[ior-easy-write]
t_start         = 2026-0${month}-12 10:00:01
exe             = ./ior -C -Q 1 -g -k -e -o /lus/theta-fs0/projects/io500/ior-easy/file -t 1m -b 9920000m -w -D 300 -a MPIIO -c
score           = ${rate.toFixed(6)}
t_delta         = 312.0000
t_end           = 2026-0${month}-12 10:05:13

[mdtest-easy-write]
t_start         = 2026-0${month}-12 10:05:13
exe             = ./mdtest -n 1000000 -u -L -F -P -N 1 -d /lus/theta-fs0/projects/io500/mdtest-easy -C -W 300 -a POSIX
score           = 10${month}.000000
t_delta         = 330.2500
t_end           = 2026-0${month}-12 10:10:43

[SCORE]
MD              = 10${month}.000000
BW              = ${rate.toFixed(6)}
SCORE           = ${Math.sqrt(rate * (100 + month)).toFixed(6)}
; END 2026-0${month}-12 10:12:18
`

/** A server of its own that uses the profiles in `sites`; its data go with it. */
const serverWith = (sites: string, data: string): Promise<OwnServer> =>
  ownServer(PORT, {
    ...process.env,
    IOTRIAGE_SITES: sites,
    IOTRIAGE_DATA_DIR: data,
    IOTRIAGE_SAMPLES_DIR: data,
    IOTRIAGE_OPEN_LOOPBACK: '1',
  })

test('IO500 results of one system become a profile by which a later job on it is judged', async ({
  page,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'iotriage-sites-'))
  let server: OwnServer | undefined
  try {
    await page.goto('/')
    await page.getByLabel('Drop logs here').setInputFiles(
      WRITTEN.map((rate, i) => ({
        name: `result-${i + 1}.txt`,
        mimeType: 'text/plain',
        buffer: Buffer.from(result(rate, i + 1)),
      })),
    )
    await page.waitForURL(/\/cases\/[a-z0-9]+/)
    await page.getByRole('link', { name: 'Evidence', exact: true }).click()
    await page.getByLabel('Short name').fill('our-theta')
    await page.getByLabel('Title').fill('Our Theta')
    await page.getByRole('button', { name: 'Make the profile' }).click()
    const tables = page.getByRole('table', { name: 'Tables of the profile' })
    await expect(tables).toContainText('Shared collective, write, accesses of 1 MiB, MPIIO')
    await expect(tables).toContainText('quartiles')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download our-theta.toml' }).click()
    await (await download).saveAs(join(folder, 'sites', 'our-theta.toml'))

    server = await serverWith(join(folder, 'sites'), join(folder, 'data'))
    await diagnose(page, JOB, server.address)
    await expect(page.getByText(/so this is Our Theta/)).toBeVisible()
    const finding = findingRow(page, 'below-expectation')
    await expect(finding).toContainText(/the documents of Our Theta have 9\.10\sGiB\/s/)
    await expect(page.getByText(/half of the runs 9,216\sMiB\/s to 9,421\sMiB\/s/).first()).toBeVisible()
    await expect(page.getByText(/result-1\.txt, result-2\.txt/).first()).toBeVisible()
  } finally {
    await server?.end()
    rmSync(folder, { recursive: true, force: true })
  }
})
