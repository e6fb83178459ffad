import { ticks } from 'd3-array'
import { count } from '../../format'
import type { Tick } from './Axis'

/** About so many ranks to name along an axis of `ranks`, the last one always. */
export function rankTicks(ranks: number, about: number): readonly Tick[] {
  const last = ranks - 1
  const round = ticks(0, last, Math.min(about, ranks)).filter(
    (tick) => Number.isInteger(tick) && tick < last - ranks * 0.07,
  )
  return [...round, ...(ranks > 0 ? [last] : [])].map((at) => ({ at, words: count(at) }))
}
