import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { APIRequestContext } from '@playwright/test'

const SAMPLES = join(import.meta.dirname, '../../sample-logs')
/** What we say of a sample stands beside it. */
const OURS = /^(evidence|metrics|findings)\.json$|^origin\.md$/

/** Every sample as "format/case". */
export const everySample = (): readonly string[] =>
  folders(SAMPLES)
    .filter((format) => format !== 'src')
    .flatMap((format) => folders(join(SAMPLES, format)).map((name) => `${format}/${name}`))

const folders = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()

export const filesOf = (sample: string): readonly string[] =>
  readdirSync(join(SAMPLES, sample), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !OURS.test(entry.name))
    .map((entry) => join(SAMPLES, sample, entry.name))

/** Gives files to the server as the page does, and waits for the diagnosis; the case's id. */
export async function caseOf(request: APIRequestContext, files: readonly string[]): Promise<string> {
  const sources = []
  for (const file of files) {
    const bytes = readFileSync(file)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const headers = { 'Content-Type': 'application/octet-stream' }
    const stored = await request.put(`/api/v1/sources/${sha256}`, { data: bytes, headers })
    if (!stored.ok()) throw new Error(`${file}: ${stored.status()} ${await stored.text()}`)
    sources.push({ sha256, name: basename(file) })
  }
  const made = await request.post('/api/v1/cases', { data: { sources } })
  if (!made.ok()) throw new Error(`${files.join(' ')}: ${made.status()} ${await made.text()}`)
  const { id } = (await made.json()) as { id: string }
  for (let asked = 0; asked < 12; asked += 1) {
    const state = (await (await request.get(`/api/v1/cases/${id}?wait=10`)).json()) as { status: string }
    if (state.status !== 'reading') return id
  }
  throw new Error(`${files.join(' ')} is still being read`)
}
