import type { Finding } from '../../analysis/caseDocument'
import { leavesOf } from '../../analysis/condition'

/** The ids of all thresholds a finding's verdict or severity rests on, the condition's first. */
export function thresholdsOf(finding: Finding): string[] {
  const nodes = [
    finding.condition,
    finding.requires,
    ...(finding.significance ? [finding.significance] : []),
    ...finding.supports,
  ]
  const ids = nodes.flatMap(leavesOf).flatMap((leaf) => (leaf.kind === 'compare' ? [leaf.threshold_id] : []))
  return [...new Set(ids)]
}
