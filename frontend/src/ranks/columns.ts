import { count, mean, sum } from 'd3-array'
import type { components } from '../api/schema'

export type RankTable = components['schemas']['RankTable']
export type RankLayer = RankTable['layers'][number]

/** One quantity of every rank, and how it is ordered on the axis. */
export interface Column {
  readonly values: Float64Array
  /** Position on the axis → rank. */
  readonly ranks: Uint32Array
}

/** Seconds in calls of every rank; null where the source does not tell them apart. */
export function secondsOf(layer: RankLayer): Float64Array | null {
  const known = [layer.read_s, layer.write_s, layer.metadata_s].filter((column) => column !== null)
  if (known.length === 0) return null
  return Float64Array.from(layer.bytes_read, (_, rank) => sum(known, (column) => column[rank] ?? 0))
}

export const bytesOf = (layer: RankLayer): Float64Array =>
  Float64Array.from(layer.bytes_read, (read, rank) => read + (layer.bytes_written[rank] ?? 0))

export function columnOf(values: Float64Array, sorted: boolean): Column {
  const ranks = Uint32Array.from(values, (_, rank) => rank)
  if (sorted) ranks.sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b)
  return { values, ranks }
}

/** Whether no rank has more than another: then none is among those with most. */
export const allAlike = (values: Float64Array): boolean => values.every((value) => value === values[0])

/** One pixel column: of the ranks in it the one with most, and the least. */
export interface Pixel {
  readonly most: number
  readonly rank: number
  readonly least: number
}

/** The ranks on `pixels` columns, so that none is lost: each column has the most of its ranks. Fewer ranks than pixels
 * have one column each. */
export function pixelsOf({ values, ranks }: Column, pixels: number): Pixel[] {
  const n = ranks.length
  const columns = Math.max(1, Math.min(n, pixels))
  return Array.from({ length: n === 0 ? 0 : columns }, (_, i) => {
    const first = Math.floor((i * n) / columns)
    const last = Math.max(first + 1, Math.floor(((i + 1) * n) / columns))
    let most = -1
    let least = Number.POSITIVE_INFINITY
    let rank = 0
    for (let at = first; at < last; at++) {
      const value = values[ranks[at] ?? 0] ?? 0
      if (value > most) {
        most = value
        rank = ranks[at] ?? 0
      }
      if (value < least) least = value
    }
    return { most, rank, least }
  })
}

/** The mean, and the ranks with the most and the least of it. Who has none of it is among neither where there are more
 * such ranks than `shown`. */
export function extremes(values: Float64Array, shown: number) {
  const active = count(values, (value) => (value > 0 ? value : null))
  const none = values.length - active
  const order = columnOf(values, true).ranks.slice(0, none > shown ? active : values.length)
  return {
    mean: mean(values) ?? 0,
    none,
    most: [...order.slice(0, Math.min(shown, active))],
    least:
      none > shown ? [] : [...order.slice(Math.max(Math.min(shown, active), order.length - shown))].reverse(),
  }
}
