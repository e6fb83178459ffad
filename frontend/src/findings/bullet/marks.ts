import type { CaseDocument, CompareLeaf, Finding } from '../../api/types'

/** A documented or measured value beside the job's own. */
export interface BulletMark {
  readonly value: number
  readonly says: string
}

type Point = CaseDocument['expectation'][number]['points'][number]

/** A value that the evidence or the site gives for what a rule compares: metric compared → metric that says what it could be. */
const COULD_BE: Readonly<Record<string, readonly [metric: string, says: string]>> = {
  'mpiio.aggregators': ['mpiio.expected_aggregators', 'by the stripes and nodes'],
  'mpiio.effective_aggregators': ['mpiio.expected_aggregators', 'by the stripes and nodes'],
}

/** What documents and the site's own measurements say of the quantity, where they measured what this finding is about. */
export function marksOf(leaf: CompareLeaf, finding: Finding, document: CaseDocument): readonly BulletMark[] {
  const could = COULD_BE[leaf.metric]
  if (could) {
    const [metric, says] = could
    const group = document.groups.find(({ id }) => finding.scope.kind === 'group' && id === finding.scope.id)
    const value = group?.metrics[metric]?.value ?? document.metrics[metric]?.value
    return typeof value === 'number' ? [{ value, says }] : []
  }
  if (leaf.metric !== 'io.bandwidth' && leaf.metric !== 'expectation.fraction') return []
  const group = finding.scope.kind === 'group' ? finding.scope.id : null
  return document.expectation
    .flatMap(({ points, curves }) =>
      points
        .filter((point) => point.by === 'job' && (group === null || point.group === group))
        .slice(0, 1)
        .flatMap((point) => {
          const marks = [...documented(point), ...quartiles(point, curves)]
          if (leaf.metric === 'io.bandwidth') return marks
          const { documented: usual } = point
          return usual === null ? [] : marks.map((mark) => ({ ...mark, value: mark.value / usual }))
        }),
    )
    .slice(0, 4)
}

function documented({ documented: usual, best }: Point): readonly BulletMark[] {
  return [
    ...(usual === null ? [] : [{ value: usual, says: 'documented for these settings' }]),
    ...(best === null || best === usual ? [] : [{ value: best, says: 'documented for the best striping' }]),
  ]
}

/** Of the job's own curve, where it was measured with as many processes. */
function quartiles(
  { own, processes }: Point,
  curves: CaseDocument['expectation'][number]['curves'],
): readonly BulletMark[] {
  const row = curves.find(({ id }) => own.includes(id))?.rows.find((one) => one.processes === processes)
  return [
    ...(row?.lower_quartile == null ? [] : [{ value: row.lower_quartile, says: 'lower quartile' }]),
    ...(row?.upper_quartile == null ? [] : [{ value: row.upper_quartile, says: 'upper quartile' }]),
  ]
}
