/** Follows each finding to the cause at the end of its chain of explanations. The same as
 * `iotriage.analysis.decision.following`. */
import type { Finding } from './caseDocument'
import { isACause } from './order'

/** Findings of the same rule about other groups of files that have no other cause. */
export const alike = (finding: Finding, findings: readonly Finding[]): Finding[] =>
  findings.filter((f) => f !== finding && f.rule === finding.rule && isACause(f))

/** What those take that it explains, or its rule in other groups of files, and those that these explain. */
export function secondsThatFollow(finding: Finding, findings: readonly Finding[]): number {
  const causes: (Finding | null)[] = [finding, ...alike(finding, findings)]
  return findings
    .filter((f) => f.takes_s && !causes.includes(f) && causes.includes(causeOf(f, findings)))
    .reduce((sum, f) => sum + (f.takes_s ?? 0), 0)
}

/** The cause that it follows from in the end: itself, where nothing explains it. Null of one that is not triggered, and
 * where each of a circle explains the next. */
function causeOf(finding: Finding, findings: readonly Finding[]): Finding | null {
  const met = new Set<Finding>()
  let one: Finding | undefined = finding
  while (one !== undefined && one.verdict === 'triggered' && !met.has(one)) {
    if (isACause(one)) return one
    met.add(one)
    one = explaining(one, findings)
  }
  return null
}

/** The finding about the same files that explains it: of the same group before one of the job or of a part of it, a
 * cause before what follows itself, and then the one that is read first. */
function explaining(finding: Finding, findings: readonly Finding[]): Finding | undefined {
  const isOfGroup = (f: Finding) => f.scope.id === finding.scope.id
  const may = findings.filter((f) => f.verdict === 'triggered' && accountsFor(f, finding))
  return may.find((f) => isOfGroup(f) && isACause(f)) ?? may.find(isOfGroup) ?? may.find(isACause) ?? may[0]
}

/** Elsewhere a rule that it names is another matter. */
const accountsFor = (cause: Finding, { explained_by, scope }: Finding): boolean =>
  explained_by === cause.rule && (scope.id === cause.scope.id || scope.kind !== cause.scope.kind)
