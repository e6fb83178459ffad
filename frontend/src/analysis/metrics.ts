/** Metrics as the page shows them, from a document that says each reason once and of a group only what differs. */
import type { Metric, StoredDocument, StoredMetric, Where } from '../api/types'

export type Metrics = Readonly<Record<string, Metric>>

type Absences = StoredDocument['absences']

export const metricsOf = (
  metrics: Readonly<Record<string, StoredMetric>>,
  absences: Absences,
): Readonly<Record<string, Metric>> =>
  Object.fromEntries(Object.entries(metrics).map(([id, metric]) => [id, whole(id, metric, absences)]))

function whole(id: string, metric: StoredMetric, absences: Absences): Metric {
  if ('absent' in metric) {
    const absence = absences[metric.absent]
    return {
      id,
      title: metric.title ?? id,
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
    title: metric.title ?? id,
    reason: null,
    settled_by: [],
    where: metric.where.flatMap(placesOf),
  }
}

/** Each line range or counter of a place. */
function placesOf(place: Extract<StoredMetric, { where: unknown }>['where'][number]): Where[] {
  const { source } = place
  if (place.kind === 'lines') return [{ source, at: { kind: 'lines', first: place.first, last: place.last } }]
  const { record, rank, file } = place.kind === 'sums' ? { record: null, rank: null, file: null } : place
  return place.counters.map((counter) => ({
    source,
    at: { kind: 'counter', module: place.module, counter, record, rank, file },
  }))
}
