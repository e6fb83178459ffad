/** Metrics in the form in which the page shows them. The document stores each reason, place and title once, and of a
 * group only the metrics that differ from the job's. */
import type { Metric, StoredDocument, StoredMetric, Where } from '../api/types'

export type Metrics = Readonly<Record<string, Metric>>

type SaidOnce = Pick<StoredDocument, 'absences' | 'places' | 'titles'>

export const metricsOf = (
  metrics: Readonly<Record<string, StoredMetric>>,
  said: SaidOnce,
): Readonly<Record<string, Metric>> =>
  Object.fromEntries(Object.entries(metrics).map(([id, metric]) => [id, whole(id, metric, said)]))

function whole(id: string, metric: StoredMetric, { absences, places, titles }: SaidOnce): Metric {
  const title = titles[id] ?? id
  if ('absent' in metric) {
    const absence = absences[metric.absent]
    return {
      id,
      title,
      unit: metric.unit,
      value: null,
      confidence: null,
      bound: null,
      reason: absence?.reason ?? null,
      settled_by: absence?.settled_by ?? [],
      where: [],
    }
  }
  return {
    id,
    ...metric,
    title,
    reason: null,
    settled_by: [],
    where: metric.where.flatMap((index) => wheresOf(places[index])),
  }
}

/** Each line range or counter of a place. */
function wheresOf(place: StoredDocument['places'][number] | undefined): Where[] {
  if (!place) return []
  const { source } = place
  if (place.kind === 'lines') return [{ source, at: { kind: 'lines', first: place.first, last: place.last } }]
  const { record, rank, file } = place.kind === 'sums' ? { record: null, rank: null, file: null } : place
  return place.counters.map((counter) => ({
    source,
    at: { kind: 'counter', module: place.module, counter, record, rank, file },
  }))
}
