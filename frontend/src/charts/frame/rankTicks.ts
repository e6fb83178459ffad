import { range, ticks } from 'd3-array'
import { idWords } from '../../format'
import type { Tick } from './Axis'

/** So few are all named. */
const FEW = 8

/** About so many ranks to name along an axis of `ranks`, at round numbers, and the last one always. */
export function rankTicks(ranks: number, about: number): readonly Tick[] {
  if (ranks <= FEW) return range(ranks).map(named)
  const last = ranks - 1
  const round = ticks(0, last, about).filter((tick) => Number.isInteger(tick) && tick < last - ranks * 0.07)
  return [...round, last].map(named)
}

const named = (at: number): Tick => ({ at, words: idWords(at) })
