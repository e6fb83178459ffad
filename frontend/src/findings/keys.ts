import type { Finding } from '../api/types'

/** A finding's name within its case: the rule, and the scope where it is not the whole job. */
export function keyOf(finding: Pick<Finding, 'rule' | 'scope'>): string {
  return finding.scope.kind === 'job' ? finding.rule : `${finding.rule}@${finding.scope.id}`
}

/** The same as an element's id. */
export const anchorOf = (key: string): string => `f-${key.replace(/[^a-z0-9-]+/gi, '-')}`

/** What a finding is called in a list: its cause where it holds, the good news where it is clear. */
export function sentenceOf(finding: Finding): string {
  if (finding.verdict === 'triggered') return finding.headline ?? finding.title
  return finding.verdict === 'clear' ? finding.clear_title : finding.title
}

/** The findings of each kind, in reading order, with explained ones under the finding that explains them. */
export interface Sorted {
  readonly causes: readonly { readonly finding: Finding; readonly explains: readonly Finding[] }[]
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
    causes: [...home].map(([finding, explains]) => ({ finding, explains })),
    unknown: of('unknown'),
    errors: of('error'),
    clear: of('clear'),
    notApplicable: of('not_applicable'),
  }
}

/** Follows "explained by" to a finding that nothing explains; null where the chain runs in a circle. */
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
