import { nice, ticks } from 'd3-array'
import { format } from '../../format'
import type { Tick } from './Axis'

/** The end of an axis of bytes from 0 to at least `peak`, and its ticks: round in the unit that they are shown in. */
export function byteTicks(
  peak: number,
  about: number,
): { readonly top: number; readonly ticks: readonly Tick[] } {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log(Math.max(1, peak)) / Math.log(1024)))
  const [, top] = nice(0, Math.max(peak, 1) / unit, about)
  return { top: top * unit, ticks: ticks(0, top, about).map((tick) => tickOf(tick * unit)) }
}

const tickOf = (at: number): Tick => ({ at, words: at === 0 ? '0' : format(at, 'B') })
