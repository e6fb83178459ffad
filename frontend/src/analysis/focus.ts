/** What the leading finding is about: the quantity, layer, direction and files with which a view opens unless
 * somebody chose others. */

import type { CaseDocument, Finding } from './caseDocument'
import { ABOUT, LAYERS } from './compared'
import { decidingLeaves } from './condition'

export interface Focus {
  readonly of: 'time' | 'bytes'
  /** None where the finding is about no layer of its own. */
  readonly layer: string | null
  /** None where it is about both, or neither. */
  readonly direction: 'read' | 'write' | null
  /** The group of files; none where it is about the job. */
  readonly group: string | null
  /** Whether the finding compares storage targets. */
  readonly targets: boolean
}

/** Null where nothing is triggered. */
export function focusOf({ headline, findings }: CaseDocument): Focus | null {
  const leading = findings.find((f) => f.rule === headline.rule && f.verdict === 'triggered')
  return leading ? focusOfFinding(leading) : null
}

function focusOfFinding({ condition, scope }: Finding): Focus {
  const compared = decidingLeaves(condition).filter((leaf) => leaf.kind === 'compare')
  const metrics = compared.map(({ metric }) => metric)
  return {
    of: metrics.some((metric) => ABOUT[metric]?.time) ? 'time' : 'bytes',
    layer: layerOf(metrics),
    direction: directionOf(metrics),
    group: scope.kind === 'group' ? scope.id : null,
    targets: metrics.some((metric) => familyOf(metric) === 'ost'),
  }
}

/** The family of a metric's id, before its dot: "ost" of "ost.load". */
export const familyOf = (metric: string): string => metric.slice(0, metric.indexOf('.'))

/** The layer of the first figure that is about one; null where none is. Ranks that can be told apart at the calls already are
 * looked at there, whatever else is true below. */
export function layerOf(metrics: readonly string[]): string | null {
  const below = (metric: string) => ABOUT[metric]?.seen_below ?? false
  const ofRanks = (metric: string) => familyOf(metric) === 'balance'
  const atTheCalls = metrics.some((metric) => ofRanks(metric) && !below(metric))
  for (const metric of metrics.filter((one) => !(atTheCalls && ofRanks(one)))) {
    const found = below(metric) ? LAYERS.posix : LAYERS[familyOf(metric)]
    if (found) return found
  }
  return null
}

/** The direction of the figures; null where they are about both, or neither. */
export function directionOf(metrics: readonly string[]): 'read' | 'write' | null {
  const directions = new Set(metrics.flatMap((metric) => ABOUT[metric]?.direction ?? []))
  const [only] = directions
  return directions.size !== 1 || only === undefined || only === 'both' ? null : only
}
