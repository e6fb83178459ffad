import type { CaseDocument } from '../../analysis/caseDocument'
import { groupName } from '../../charts/frame/linkName'
import { keyOf } from '../../findings/keys'
import type { Tickable } from './Reply'

/** The findings that hold, in the document's order: causes before what they explain. */
export function tickable({ findings }: CaseDocument): Tickable[] {
  const held = findings.filter((finding) => finding.verdict === 'triggered')
  return held.map((finding) => ({
    key: keyOf(finding),
    rule: finding.rule,
    title: finding.title,
    severity: finding.severity,
    note: finding.explained_by
      ? `explained by ${finding.explained_by}`
      : finding.scope.kind === 'job'
        ? null
        : groupName(finding.scope.label),
  }))
}

/** The finding that the sentence on top is of. */
export const topOf = ({ findings, headline }: CaseDocument): string[] =>
  findings
    .filter((finding) => finding.verdict === 'triggered' && finding.rule === headline.rule)
    .slice(0, 1)
    .map(keyOf)
