/** What the leading finding is about: the quantity, layer, direction and files on which a view opens where nobody chose others. */

import type { CaseDocument, Finding } from './caseDocument'
import { decidingLeaves } from './condition'

export interface Focus {
  readonly of: 'time' | 'bytes'
  /** None where the finding is about no layer of its own. */
  readonly layer: string | null
  /** None where it is about both, or neither. */
  readonly direction: 'read' | 'write' | null
  /** The group of files; none where it is about the job. */
  readonly group: string | null
  /** Whether storage targets are what it compares. */
  readonly targets: boolean
}

/** By what the ids of metrics begin with. In a collective call all ranks look alike: which of them move the bytes, and how
 * long each takes with its own, is to be seen below it. */
const LAYERS: readonly (readonly [begins: string, layer: string])[] = [
  ['posix.', 'POSIX'],
  ['stdio.', 'STDIO'],
  ['mpiio.aggregator', 'POSIX'],
  ['mpiio.effective_', 'POSIX'],
  ['mpiio.movers', 'POSIX'],
  ['mpiio.', 'MPI-IO'],
  ['ost.', 'POSIX'],
  ['balance.storage_', 'POSIX'],
]
const OF_TIME = /time|seconds|slow|wait|skew|duration/
const READS = /(^|[._])(re)?reads?([._]|ers?$|$)/
const WRITES = /(^|[._])(writes?|written|writers?|writing)([._]|$)/
/** Read-modify-write is both. */
const BOTH = /[._](rmw|write_amplification)/

/** Null where nothing is triggered. */
export function focusOf({ headline, findings }: CaseDocument): Focus | null {
  const leading = findings.find((f) => f.rule === headline.rule && f.verdict === 'triggered')
  return leading ? focusOfFinding(leading) : null
}

function focusOfFinding({ condition, scope }: Finding): Focus {
  const compared = decidingLeaves(condition).filter((leaf) => leaf.kind === 'compare')
  const metrics = compared.map(({ metric }) => metric)
  const of = compared.some(({ unit, metric }) => unit === 's' || unit === 'B/s' || OF_TIME.test(metric))
    ? 'time'
    : 'bytes'
  return {
    of,
    layer: layerOf(metrics),
    direction: directionOf(metrics),
    group: scope.kind === 'group' ? scope.id : null,
    targets: metrics.some((metric) => metric.startsWith('ost.')),
  }
}

/** Between ranks that can be told apart at the calls already, whatever else is true below. */
const AT_THE_CALLS = /^balance\.(?!storage_)/

/** The layer of the first figure that is about one; null where none is. */
export function layerOf(metrics: readonly string[]): string | null {
  const apart = metrics.some((metric) => AT_THE_CALLS.test(metric))
  for (const metric of metrics.filter((one) => !(apart && one.startsWith('balance.')))) {
    const found = LAYERS.find(([begins]) => metric.startsWith(begins))
    if (found) return found[1]
  }
  return null
}

/** The one direction that figures speak of; null where they speak of both, or of none. */
export function directionOf(metrics: readonly string[]): 'read' | 'write' | null {
  if (metrics.some((metric) => BOTH.test(metric))) return null
  const reads = metrics.some((metric) => READS.test(metric))
  const writes = metrics.some((metric) => WRITES.test(metric))
  return reads === writes ? null : reads ? 'read' : 'write'
}
