import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import type { Half, Slot } from './sizes'

export interface Geometry {
  readonly left: number
  readonly band: number
  readonly width: number
}

/** Where a size lies on the axis: bins are equal columns, inside a bin sizes are spread by their logarithm. */
export function position(bytes: number, slots: readonly Slot[], { left, band }: Geometry): number {
  const exact = slots.findIndex((s) => s.low === bytes && s.high === bytes)
  if (exact >= 0) return left + (exact + 0.5) * band
  const i = slots.findIndex((s) => bytes >= s.low && (s.high === null || bytes <= s.high))
  const slot = slots[i]
  if (!slot) return left
  const low = Math.max(1, slot.low)
  const high = slot.high ?? low * 10
  return left + (i + Math.log(bytes / low) / Math.log(high / low)) * band
}

/** The height of one layer's half, for the tallest of its bars. */
export const HALF = 92

export function heightsOf({ slots }: Half) {
  const peak = max(slots, (s) => Math.max(s.read, s.write)) || 1
  const scale = scaleLinear([0, peak], [0, HALF - 16]).nice(3)
  return { scale, ticks: scale.ticks(2).filter((t) => Number.isInteger(t) && scale(t) <= HALF - 4) }
}
