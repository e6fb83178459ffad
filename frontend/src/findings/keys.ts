import type { Finding } from '../analysis/caseDocument'

/** The folds of what is not triggered, by name. */
export const UNKNOWN = 'unknown'
export const CLEAR = 'clear'
export const NOT_APPLICABLE = 'not-applicable'

/** The key of a finding within its case: its rule, and its scope unless that is the whole job. */
export function keyOf(finding: Pick<Finding, 'rule' | 'scope'>): string {
  return finding.scope.kind === 'job' ? finding.rule : `${finding.rule}@${finding.scope.id}`
}

/** The same as an element's id. */
export const anchorOf = (key: string): string => `f-${key.replace(/[^a-z0-9-]+/gi, '-')}`

/** What stands in the body of a finding: its figures on top, what it takes of the run, what to do. */
export type Part = 'figures' | 'cost' | 'cure'

export const partAnchor = (key: string, part: Part): string =>
  part === 'figures' ? anchorOf(key) : `${anchorOf(key)}-${part}`

/** The finding's line in a list: its cause where it is triggered, its clear title where it is clear. */
export function sentenceOf(finding: Finding): string {
  if (finding.verdict === 'triggered') return finding.headline ?? finding.title
  return finding.verdict === 'clear' ? finding.clear_title : finding.title
}

/** A finding with those that it explains. Findings of the same rule about other groups of files are folded under the
 * first. */
export interface Cause {
  readonly finding: Finding
  readonly explains: readonly Cause[]
  readonly also: readonly Cause[]
}

/** What folds the same rule's findings on other file groups. */
export const alsoOf = (finding: Finding): string => `also-${keyOf(finding)}`

/** The fold that contains a finding; null where it is in none. */
export function foldAround(causes: readonly Cause[], key: string): string | null {
  for (const { finding, explains, also } of causes) {
    if (also.some((other) => holds(other, key))) return alsoOf(finding)
    const below = foldAround(explains, key)
    if (below) return below
  }
  return null
}

const holds = ({ finding, explains, also }: Cause, key: string): boolean =>
  keyOf(finding) === key || explains.some((c) => holds(c, key)) || also.some((c) => holds(c, key))

/** The findings of each kind, in reading order, with explained ones under the finding that explains them. */
export interface Sorted {
  readonly causes: readonly Cause[]
  readonly unknown: readonly Finding[]
  readonly errors: readonly Finding[]
  readonly clear: readonly Finding[]
  readonly notApplicable: readonly Finding[]
}

export function sortFindings(findings: readonly Finding[]): Sorted {
  const triggered = findings.filter((f) => f.verdict === 'triggered')
  const roots = triggered.filter((f) => f.explained_by === null)
  const home = new Map<Finding, Finding[]>(roots.map((root) => [root, []]))
  for (const finding of triggered) {
    if (finding.explained_by === null) continue
    const root = rootOf(finding, triggered)
    const under = root ? home.get(root) : undefined
    if (under) under.push(finding)
    else home.set(finding, [])
  }
  const of = (verdict: Finding['verdict']) => findings.filter((f) => f.verdict === verdict)
  return {
    causes: folded(
      [...home].map(([finding, explains]) => cause(finding, folded(explains.map((f) => cause(f))))),
    ),
    unknown: of('unknown'),
    errors: of('error'),
    clear: of('clear'),
    notApplicable: of('not_applicable'),
  }
}

const cause = (finding: Finding, explains: readonly Cause[] = []): Cause => ({ finding, explains, also: [] })

/** One line a rule: the first in reading order is the most severe, with most seconds to win. */
function folded(causes: readonly Cause[]): Cause[] {
  const rules = new Map<string, Cause[]>()
  for (const one of causes) {
    const rule = one.finding.rule
    rules.set(rule, [...(rules.get(rule) ?? []), one])
  }
  return [...rules.values()].flatMap(([first, ...also]) => (first ? [{ ...first, also }] : []))
}

/** Follows "explained by" to a finding that nothing explains; null where the chain is a circle. */
function rootOf(finding: Finding, triggered: readonly Finding[]): Finding | null {
  const seen = new Set<string>()
  let at: Finding | undefined = finding
  while (at && at.explained_by !== null) {
    if (seen.has(at.rule)) return null
    seen.add(at.rule)
    const cause: string = at.explained_by
    const scope: string = at.scope.id
    at =
      triggered.find((f) => f.rule === cause && f.scope.id === scope) ??
      triggered.find((f) => f.rule === cause)
  }
  return at ?? null
}
