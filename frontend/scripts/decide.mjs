// The page's decisions for programs: reads lines of JSON, {"document": …} or {"moves": {threshold: number}}, and answers
// each of the latter with what the page would say. The tests hold the server's decisions against it.
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { runnerImport } from 'vite'

const root = join(import.meta.dirname, '..')
const { module: page } = await runnerImport(join(root, 'src/analysis/evaluate.ts'), {
  root,
  logLevel: 'error',
})
const { module: conditions } = await runnerImport(join(root, 'src/analysis/condition.ts'), {
  root,
  logLevel: 'error',
})

let document = null
for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
  const asked = JSON.parse(line)
  if (asked.document) document = page.decide(asked.document)
  else process.stdout.write(`${JSON.stringify(answer(page.evaluate(document, asked.moves)))}\n`)
}

function answer({ headline, findings, next_run, unexplained }) {
  return { headline, findings: findings.map(said), next_run, unexplained }
}

function said(finding) {
  const { rule, scope, verdict, severity, explained_by, headline, advice } = finding
  const { takes_s, could_save_at_least_s, could_save_s } = finding
  const open = [finding.requires, finding.condition].flatMap(conditions.leavesOf)
  return {
    rule,
    scope: scope.id,
    verdict,
    severity,
    explained_by,
    takes_s,
    could_save_at_least_s,
    could_save_s,
    headline,
    advice: advice.map(({ text, command, kind, fortran, withheld }) => ({
      text,
      command,
      kind,
      fortran,
      withheld,
    })),
    unanswered: open.filter((leaf) => leaf.answer === null).map((leaf) => leaf.reason),
  }
}
