import type { ScaleLinear } from 'd3-scale'
import { count, exactly, THIN } from '../../format'
import type { Tick } from './Axis'

const MINUTE = 60
const HOUR = 3600
/** Steps of a clock, in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30]
  .concat([1, 2, 5, 10, 15, 30].map((n) => n * MINUTE))
  .concat([1, 2, 3, 6, 12, 24, 48, 96].map((n) => n * HOUR))
/** From so many seconds on sentences have minutes, and so has an axis. */
const LONG = 2 * MINUTE

/** The ticks of an axis of seconds, of minutes or hours where it is long, in the words of sentences. Ticks of one unit
 * name it at the first. */
export function secondTicks(x: ScaleLinear<number, number>, about: number): readonly Tick[] {
  const [from = 0, to = 1] = x.domain()
  const step = to >= LONG && to - from >= about ? STEPS.find((one) => (to - from) / one <= about) : undefined
  if (step !== undefined) return clockTicks(from, to, step)
  const fixed = x.tickFormat(about)
  // Beside a second or more, what is left over has no unit of its own: "1 h 0.0005 s".
  const small = to - from < 0.01 && to < 1
  return x.ticks(about).map((at, i) => {
    if (small) return { at, words: at === 0 ? `0${THIN}s` : exactly(at, 's') }
    return { at, words: i > 0 ? fixed(at) : `${at === 0 ? '0' : fixed(at)}${THIN}s` }
  })
}

function clockTicks(from: number, to: number, step: number): readonly Tick[] {
  const first = Math.ceil(from / step)
  const moments = Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step)
  const [unit, name] = step % HOUR === 0 ? ([HOUR, 'h'] as const) : ([MINUTE, 'min'] as const)
  // "600 min" is the "10 h" of sentences.
  const mixed = step % unit !== 0 || (unit === MINUTE && to >= HOUR)
  return moments.map((at, i) => {
    if (mixed) return { at, words: at === 0 ? '0' : exactly(at, 's') }
    return { at, words: i > 0 ? count(at / unit) : `${count(at / unit)}${THIN}${name}` }
  })
}
