/** What the leading finding is about: the quantity and the layer on which a view opens where nobody chose another. */

import { decidingLeaves } from './condition'
import type { CaseDocument, Finding } from './decided'

export interface Focus {
  readonly of: 'time' | 'bytes'
  /** None where the finding is about no layer of its own. */
  readonly layer: string | null
}

/** By what the ids of metrics begin with. */
const LAYERS: Readonly<Record<string, string>> = {
  posix: 'POSIX',
  stdio: 'STDIO',
  mpiio: 'MPI-IO',
  ost: 'POSIX',
}
const OF_TIME = /time|seconds|slow|wait|skew|duration/

/** Null where nothing is triggered. */
export function focusOf({ headline, findings }: CaseDocument): Focus | null {
  const leading = findings.find((f) => f.rule === headline.rule && f.verdict === 'triggered')
  return leading ? focusOfFinding(leading) : null
}

function focusOfFinding({ condition }: Finding): Focus {
  const compared = decidingLeaves(condition).filter((leaf) => leaf.kind === 'compare')
  const of = compared.some(({ unit, metric }) => unit === 's' || unit === 'B/s' || OF_TIME.test(metric))
    ? 'time'
    : 'bytes'
  const layer = compared
    .map(({ metric }) => LAYERS[metric.split('.')[0] ?? ''])
    .find((name) => name !== undefined)
  return { of, layer: layer ?? null }
}
