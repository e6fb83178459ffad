import type { CaseDocument } from '../../analysis/caseDocument'
import { baseName } from '../../format'
import { isSlowestAlike, layerInWords } from '../frame/words/rankWords'

export type Use = NonNullable<CaseDocument['charts']['ranks']>
export type Series = Use['series'][number]
export type Reduced = Use['reduced'][number]

export const nameOf = (file: Reduced) => baseName(file.file)

/** Who takes longest at one layer need not be the job's slowest rank, and where all take about the same time nobody is slow. */
export const longestOf = (series: Series, ofJob: number | null) =>
  series.slowest?.rank !== ofJob
    ? `longest at ${layerInWords(series.layer)}`
    : isSlowestAlike(series)
      ? 'the longest'
      : 'the slowest'

/** Below this share of the job's bytes, what is told apart is not how the job moves them. */
const LITTLE = 0.01

/** The share of the job's bytes in the layer with most of those in which ranks are told apart; null where it is not little, not
 * known, or no rank is told apart. */
export function littleToldApart(
  { metrics }: Pick<CaseDocument, 'metrics'>,
  { series }: Pick<Use, 'series'>,
): number | null {
  const moved = metrics['io.bytes']?.value
  if (series.length === 0 || typeof moved !== 'number' || moved === 0) return null
  const share = Math.max(0, ...series.map((one) => one.total_bytes)) / moved
  return share < LITTLE ? share : null
}

/** Where the line at the mean says more than the bars do: not all ranks move about as much. */
export const meanOf = ({ active, ranks, busiest, total_bytes }: Series): number | null => {
  const mean = total_bytes / ranks
  const even = active === ranks && busiest.bytes_read + busiest.bytes_written <= 1.2 * mean
  return even ? null : mean
}
