import type { CaseDocument, Finding } from '../../analysis/caseDocument'
import type { CompareLeaf } from '../../analysis/condition'
import { format, plural } from '../../format'

/** A documented or measured value beside the job's own. */
export interface BulletMark {
  readonly value: number
  readonly says: string
}

type Comparison = CaseDocument['expectation'][number]
type Point = Comparison['points'][number]
type Curve = Comparison['curves'][number]

/** By the metric that a rule compares, the metric with the value that it could have by the evidence or the site. */
const COULD_BE: Readonly<Record<string, readonly [metric: string, says: string]>> = {
  'mpiio.aggregators': ['mpiio.expected_aggregators', 'by the stripes and nodes'],
  'mpiio.effective_aggregators': ['mpiio.expected_aggregators', 'by the stripes and nodes'],
}

/** What documents, and the site's own measurements, say about the quantity in the conditions of this finding. */
export function marksOf(leaf: CompareLeaf, finding: Finding, document: CaseDocument): readonly BulletMark[] {
  const group = finding.scope.kind === 'group' ? finding.scope.id : null
  const metrics = document.groups.find(({ id }) => id === group)?.metrics
  const known = (metric: string) => metrics?.[metric]?.value ?? document.metrics[metric]?.value
  const could = COULD_BE[leaf.metric]
  if (could) {
    const [metric, says] = could
    const value = known(metric)
    return typeof value === 'number' ? [{ value, says }] : []
  }
  switch (leaf.metric) {
    case 'expectation.open_fraction':
    case 'expectation.open_fraction_of_lower_quartile':
      return opens(leaf, known)
    case 'io.bandwidth':
      return measured(document, group, () => 1)
    case 'expectation.fraction':
      return measured(document, group, ({ documented: usual }) => usual)
    case 'expectation.fraction_of_lower_quartile':
      return measured(document, group, (_, lower) => lower)
    default:
      return []
  }
}

/** The job's own point beside each of its curves, as shares of a reference; nothing where that is not known. */
function measured(
  { expectation }: CaseDocument,
  group: string | null,
  reference: (point: Point, lowerQuartile: number | null) => number | null,
): readonly BulletMark[] {
  return expectation
    .flatMap(({ points, curves }) =>
      points
        .filter((point) => point.by === 'job' && (group === null || point.group === group))
        .slice(0, 1)
        .flatMap((point) => {
          const row = measuredRow(point, curves)
          const over = reference(point, row?.lower_quartile ?? null)
          const marks = [...documented(point), ...quartiles(row)]
          return over === null ? [] : marks.map((mark) => ({ ...mark, value: mark.value / over }))
        }),
    )
    .slice(0, 4)
}

const MEASURED: Readonly<Record<string, string>> = {
  maximum: 'the best rate measured',
  quartiles: 'the median measured',
  typical: 'a typical rate measured',
}

/** The measured rate of opening, and the lower quartile where there is one, beside a share of either. */
function opens(
  { metric }: CompareLeaf,
  known: (metric: string) => number | string | null | undefined,
): readonly BulletMark[] {
  const [ofUsual, ofLower] = [
    known('expectation.open_fraction'),
    known('expectation.open_fraction_of_lower_quartile'),
  ]
  const own = metric === 'expectation.open_fraction' ? ofUsual : ofLower
  if (typeof own !== 'number') return []
  const [took, by] = [known('expectation.documented_open_time'), known('expectation.open_ranks')]
  const each = typeof took === 'number' ? `, ${format(took, 's')} each` : ''
  const among = typeof by === 'number' ? ` by ${plural(by, 'process', 'processes')} at once` : ''
  const usual = MEASURED[String(known('expectation.open_statistic'))]
  return [
    ...(typeof ofUsual === 'number' && ofUsual > 0 && usual
      ? [{ value: own / ofUsual, says: `${usual}${among}${each}` }]
      : []),
    ...(typeof ofLower === 'number' && ofLower > 0 ? [{ value: own / ofLower, says: 'lower quartile' }] : []),
  ]
}

function documented({ documented: usual, best }: Point): readonly BulletMark[] {
  return [
    ...(usual === null ? [] : [{ value: usual, says: 'documented for these settings' }]),
    ...(best === null || best === usual ? [] : [{ value: best, says: 'documented for the best striping' }]),
  ]
}

/** Of the job's own curve, where it was measured with as many processes. */
const measuredRow = ({ own, processes }: Point, curves: readonly Curve[]) =>
  curves.find(({ id }) => own.includes(id))?.rows.find((one) => one.processes === processes)

const quartiles = (row: Curve['rows'][number] | undefined): readonly BulletMark[] => [
  ...(row?.lower_quartile == null ? [] : [{ value: row.lower_quartile, says: 'lower quartile' }]),
  ...(row?.upper_quartile == null ? [] : [{ value: row.upper_quartile, says: 'upper quartile' }]),
]
