/**
 * A directory has one striping: lines of several findings for one become a single line, or one gives way.
 * The same as `without_contradictions` of `iotriage.analysis.contradictions`, from what the document has of them.
 */
import type { Advice, Finding, Striping } from '../api/types'

interface KeptLine {
  readonly finding: Finding
  readonly striping: Striping
}

const WITHHELD = 'Withheld: '

/** The findings, in reading order, with the advice withheld that contradicts a finding before it. */
export function withoutContradictions(findings: readonly Finding[]): Finding[] {
  const kept = new Map<string, KeptLine[]>()
  const withheld = new Map<Striping, string>()
  for (const finding of findings) {
    for (const striping of inForce(finding)) {
      const others = kept.get(striping.directory) ?? []
      kept.set(striping.directory, others)
      const reason = firstReason(striping, others)
      if (reason === null) others.push({ finding, striping })
      else withheld.set(striping, reason)
    }
  }
  return findings.map((finding) => {
    const stripings = inForce(finding)
    if (stripings.length === 0) return finding
    const decided = new Map(stripings.map((s) => [s.advice, s]))
    const advice = finding.advice.map((one, i) => {
      const striping = decided.get(i)
      return striping ? settled(one, striping, kept, withheld.get(striping)) : one
    })
    return { ...finding, advice: withheldLast(advice) }
  })
}

const inForce = (finding: Finding): readonly Striping[] =>
  finding.verdict === 'triggered' ? (finding.says?.stripings ?? []) : []

function firstReason(striping: Striping, kept: readonly KeptLine[]): string | null {
  for (const { finding } of kept) {
    const way = striping.gives_way_to.find((w) => w.rule === finding.rule && w.scope === finding.scope.id)
    if (way) return way.text
  }
  return null
}

function settled(
  advice: Advice,
  striping: Striping,
  kept: ReadonlyMap<string, readonly KeptLine[]>,
  withheld: string | undefined,
): Advice {
  if (withheld !== undefined) return { ...advice, text: withheld, command: null, kind: 'none', fortran: null }
  const asked = [striping, ...(kept.get(striping.directory) ?? []).map((line) => line.striping)]
  return { ...advice, command: `lfs setstripe ${optionsOf(asked)} ${striping.directory}` }
}

/** What is asked for one directory by all who agree: count, size, first OST, pool, as people write them. */
function optionsOf(asked: readonly Striping[]): string {
  const first = (of: (striping: Striping) => string | null) => asked.map(of).find((value) => value !== null)
  return [
    ['-c', first((s) => s.count)],
    ['-S', first((s) => s.size)],
    ['-i', first((s) => s.first_ost)],
    ['-p', first((s) => s.pool)],
  ]
    .flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${value}`]))
    .join(' ')
}

function withheldLast(advice: readonly Advice[]): Advice[] {
  const isWithheld = ({ text }: Advice) => text.startsWith(WITHHELD)
  return [...advice.filter((one) => !isWithheld(one)), ...advice.filter(isWithheld)]
}
