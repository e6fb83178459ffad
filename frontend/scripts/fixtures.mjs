// Writes src/fixtures/*.json: case documents of sample logs as `iotriage diagnose` says them, with long lists cut.
import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const FILES = 24

const FIXTURES = {
  'independent-small': 'darshan_log/06-shared-indep-1000b-unaligned',
  'sieving-writes': 'darshan_log/07-shared-strided-sieving',
  'many-small-files': 'darshan_log/03-fpp-many-small-files',
  'record-overflow': 'darshan_log/43-record-overflow-partial',
  tuned: 'darshan_log/40-heat2d-tuned',
  'one-aggregator': 'mpich_stats/bad-collective-write-one-aggregator',
  'idle-aggregators': 'mpich_stats/few-active-aggregators',
}

function diagnose(folder) {
  const path = join(ROOT, 'sample-logs', folder)
  const source = readdirSync(path).find((name) => /\.(darshan|txt|err|out|log)$/.test(name))
  const text = execFileSync(
    join(ROOT, '.venv/bin/iotriage'),
    ['diagnose', join(path, source), '--format', 'json'],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  )
  return JSON.parse(text)
}

function cut(document) {
  document.metrics = Object.fromEntries(
    Object.entries(document.metrics)
      .filter(([id]) => /^(job|io)\./.test(id))
      .map(([id, metric]) => [id, { ...metric, where: metric.where.slice(0, 1) }]),
  )
  for (const group of document.groups) group.metrics = {}
  for (const finding of document.findings) {
    finding.locators = finding.locators.slice(0, 8)
    if (finding.verdict === 'not_applicable') finding.would_say = null
  }
  document.files = document.files.slice(0, FILES)
  return document
}

for (const [name, folder] of Object.entries(FIXTURES)) {
  const path = join(import.meta.dirname, `../src/fixtures/${name}.json`)
  writeFileSync(path, `${JSON.stringify(cut(diagnose(folder)))}\n`)
}
