import { count, format } from '../../format'
import type { Curve } from './expected'

export const SCALES: Readonly<Record<Curve['unit'], number>> = {
  'MiB/s': 2 ** 20,
  'GiB/s': 2 ** 30,
  'MB/s': 1e6,
  'GB/s': 1e9,
}

/** A bandwidth in the document's own unit, so that it can be found there. */
export function rate(value: number, { unit }: Pick<Curve, 'unit'>): string {
  const figure = figureIn(value, unit)
  return figure === null ? format(value, 'B/s') : `${figure}\u202f${unit}`
}

/** The job's own bandwidth as the rest of the page says it, unless the document counts by powers of ten. */
export const ownRate = (value: number, of: Pick<Curve, 'unit'>): string =>
  of.unit.endsWith('iB/s') ? format(value, 'B/s') : rate(value, of)

/** Null where next to nothing of the unit is left. */
export function figureIn(value: number, unit: Curve['unit']): string | null {
  const scaled = value / SCALES[unit]
  return scaled < 0.01 ? null : count(scaled >= 100 ? Math.round(scaled) : scaled)
}
