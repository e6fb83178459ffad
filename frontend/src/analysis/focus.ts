/** What the leading finding is about: the quantity, layer, direction and files on which a view opens where nobody chose others. */

import { decidingLeaves } from './condition'
import type { CaseDocument, Finding } from './decided'

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

/** By what the ids of metrics begin with. */
const LAYERS: Readonly<Record<string, string>> = {
  posix: 'POSIX',
  stdio: 'STDIO',
  mpiio: 'MPI-IO',
  ost: 'POSIX',
}
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
  const layer = metrics.map((metric) => LAYERS[metric.split('.')[0] ?? '']).find((name) => name !== undefined)
  return {
    of,
    layer: layer ?? null,
    direction: directionOf(metrics),
    group: scope.kind === 'group' ? scope.id : null,
    targets: metrics.some((metric) => metric.startsWith('ost.')),
  }
}

/** The one direction that figures speak of; null where they speak of both, or of none. */
export function directionOf(metrics: readonly string[]): 'read' | 'write' | null {
  if (metrics.some((metric) => BOTH.test(metric))) return null
  const reads = metrics.some((metric) => READS.test(metric))
  const writes = metrics.some((metric) => WRITES.test(metric))
  return reads === writes ? null : reads ? 'read' : 'write'
}
