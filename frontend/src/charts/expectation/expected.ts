import type { CaseDocument } from '../../analysis/caseDocument'
import type { MissingEvidence } from '../frame/chart'
import { BANDWIDTHS } from '../frame/evidence'

export type Comparison = CaseDocument['expectation'][number]
export type Curve = Comparison['curves'][number]
export type Point = Comparison['points'][number]
export type Row = Curve['rows'][number]

export interface Expected {
  readonly all: readonly Comparison[]
  /** The one that is drawn, and the point it is drawn for. */
  readonly comparison: Comparison
  readonly point: Point
  readonly titles: ReadonlyMap<string, string>
}

export function read(document: CaseDocument): Expected | MissingEvidence {
  const [comparison] = document.expectation
  const [point] = comparison?.points ?? []
  if (comparison && point) {
    const titles = new Map(document.documents.map((d) => [d.key, d.title]))
    return { all: document.expectation, comparison, point, titles }
  }
  const { id, title } = document.site
  return {
    missing: id.startsWith('generic')
      ? "The job's file system is of no site whose documents give bandwidths: nothing is compared."
      : `The documents of ${title} give no bandwidths for files like these, or the job's own bandwidth is not known.`,
    needs: BANDWIDTHS,
  }
}

export const curveOf = (comparison: Comparison, id: string | null | undefined) =>
  comparison.curves.find((curve) => curve.id === id)
