import type { ScaleLinear } from 'd3-scale'
import { format, THIN } from '../../format'
import type { Tick } from './Axis'

/** The ticks of an axis of seconds, all with the same decimals, and the unit at the first. */
export function secondTicks(x: ScaleLinear<number, number>, about: number): readonly Tick[] {
  const [from = 0, to = 1] = x.domain()
  const fixed = x.tickFormat(about)
  return x.ticks(about).map((at, i) => {
    if (to - from < 0.01) return { at, words: at === 0 ? `0${THIN}s` : format(at, 's') }
    return { at, words: i > 0 ? fixed(at) : `${at === 0 ? '0' : fixed(at)}${THIN}s` }
  })
}
