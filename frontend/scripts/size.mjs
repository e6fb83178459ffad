// Fails where a person would wait for more script than the budget: all that a first visit loads, gzipped.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const BUDGET_KB = 180
/** Route → the chunks that the router asks for, beside the entry. */
const ROUTES = {
  '/': ['Start'],
  '/queue': ['Queue'],
  '/tickets/:id': ['TicketPage'],
  '/cases/:id': ['Case', 'Diagnosis'],
  '/cases/:id/timeline': ['Case', 'Timeline'],
  '/cases/:id/ranks': ['Case', 'Ranks'],
  '/cases/:id/files': ['Case', 'Files'],
  '/cases/:id/evidence': ['Case', 'Evidence'],
  '/cases/:id/triage': ['Case', 'Triage'],
}
const dist = join(import.meta.dirname, '../dist')
const assets = readdirSync(join(dist, 'assets'))
const text = (name) => readFileSync(join(dist, 'assets', name), 'utf8')

/** A chunk and everything it imports statically. */
function closure(name, seen = new Set()) {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const [, other] of text(name).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) closure(other, seen)
  return seen
}

const html = readFileSync(join(dist, 'index.html'), 'utf8')
const entries = [...html.matchAll(/<script type="module"[^>]* src="[^"]*assets\/([^"]+\.js)"/g)].map(
  ([, name]) => name,
)
const chunk = (name) => assets.find((file) => file.startsWith(`${name}-`) && file.endsWith('.js'))
let over = false
for (const [route, names] of Object.entries(ROUTES)) {
  const seen = new Set()
  for (const name of [...entries, ...names.map(chunk)]) closure(name, seen)
  const kb = [...seen].reduce((sum, name) => sum + gzipSync(text(name)).length, 0) / 1000
  over ||= kb > BUDGET_KB
  console.log(
    `${route}: ${kb.toFixed(1)} kB of script in ${seen.size} files, gzipped; budget ${BUDGET_KB} kB`,
  )
}
if (over) process.exit(1)
