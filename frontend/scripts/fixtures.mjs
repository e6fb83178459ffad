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
  'late-ranks': 'mpich_timers/late-ranks',
  'one-stripe': 'darshan_log/lustre-ssf-one-stripe',
  'slow-ost': 'darshan_log/lustre-fpp-slow-ost',
}

/** Sources of several jobs in one case: every kind of evidence, and figures in which they differ. */
const EVERY_KIND = [
  'darshan_log/06-shared-indep-1000b-unaligned',
  'darshan_parser_text/totals-shared-aligned',
  'mpich_hints/plume-ssf',
  'mpich_hints/ior-pasted-hints',
  'mpich_stats/bad-collective-write-one-aggregator',
  'mpich_stats/rmw-and-gaps',
  'mpich_aggregator_placement/twelve-on-three-nodes',
  'mpich_aggregator_placement/other-columns',
  'mpich_warnings/quota-while-writing',
  'mpich_warnings/dvs-labelled',
  'mpich_warnings/pfl-internal-error',
  'craypat/pat-report-one-writer',
  'craypat/lite-file-per-process',
  'lfs_getstripe/plain',
  'lfs_getstripe/pfl',
  'job_context/slurm-script',
  'job_context/sacct',
  'ior/ssf-collective',
  'benchio/striped',
]

/** Runs held against one another: one of each kind of comparison. */
const COMPARISONS = {
  change: ['darshan_log/39-heat2d-legacy', 'darshan_log/40-heat2d-tuned'],
  scaling: ['benchio/serial-at-three-sizes'],
  striping: ['benchio/striped'],
  repeats: ['darshan_log/13-imbalanced-rank0', 'darshan_log/41-no-shared-reduction'],
}

function sourceOf(folder) {
  const path = join(ROOT, 'sample-logs', folder)
  const name = readdirSync(path).find((n) => /\.(darshan|txt|err|out|log|rpt|slurm)$/.test(n))
  return join(path, name)
}

function iotriage(command, folders, ...options) {
  const given = [command, ...folders.map(sourceOf), '--format', 'json', ...options]
  const text = execFileSync(join(ROOT, '.venv/bin/iotriage'), given, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  return JSON.parse(text)
}

function cut(document) {
  document.files = document.files.slice(0, FILES)
  return document
}

/** What the texts said, without the findings. */
function onlyTexts(document) {
  for (const { part } of document.texts) {
    if (part.kind === 'darshan_summary')
      for (const { totals } of part.summaries) totals?.counters.splice(FILES)
    if (part.kind === 'craypat') part.fields = part.fields.slice(0, FILES)
  }
  return {
    ...cut(document),
    findings: [],
    rules: {},
    documents: [],
    groups: [],
    files: [],
    files_total: 0,
  }
}

function write(name, document) {
  writeFileSync(join(import.meta.dirname, `../src/fixtures/${name}.json`), `${JSON.stringify(document)}\n`)
}

for (const [name, folder] of Object.entries(FIXTURES)) {
  write(name, cut(iotriage('diagnose', [folder])))
}
write('every-kind', onlyTexts(iotriage('diagnose', EVERY_KIND, '--together')))
const comparisons = Object.entries(COMPARISONS).map(([kind, runs]) => [kind, iotriage('compare', runs)])
write('comparisons', Object.fromEntries(comparisons))
