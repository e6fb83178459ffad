import type { ScaleLinear } from 'd3-scale'
import { count, exactly, HOURS_OF_A_WEEK, THIN } from '../../format'
import type { Tick } from './Axis'

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR
const POWERS_OF_TEN = Array.from({ length: 12 }, (_, power) => 10 ** power)
/** Steps of a clock and of days, in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30]
  .concat([1, 2, 5, 10, 15, 30].map((n) => n * MINUTE))
  .concat([1, 2, 3, 6, 12].map((n) => n * HOUR))
  .concat(POWERS_OF_TEN.flatMap((ten) => [1, 2, 5].map((n) => n * ten * DAY)))
/** From so many seconds on sentences have minutes, and so has an axis. */
const LONG = 2 * MINUTE

/** The ticks of an axis of seconds, of minutes, hours or days where it is long, in the words of sentences. Ticks of one unit
 * name it at the first. */
export function secondTicks(x: ScaleLinear<number, number>, about: number): readonly Tick[] {
  const [from = 0, to = 1] = x.domain()
  const step = to >= LONG && to - from >= about ? STEPS.find((one) => (to - from) / one <= about) : undefined
  if (step !== undefined) return clockTicks(from, to, step)
  const fixed = x.tickFormat(about)
  // Beside a second or more, what is left over has no unit of its own: "1 h 0.0005 s".
  const small = to - from < 0.1 && to < 1
  return x.ticks(about).map((at, i) => {
    if (small) return { at, words: at === 0 ? `0${THIN}s` : exactly(at, 's') }
    return { at, words: i > 0 ? fixed(at) : `${at === 0 ? '0' : fixed(at)}${THIN}s` }
  })
}

/** "1 min 30 s", as those beside it: where a sentence has "90 s", an axis of minutes would change its unit. */
function momentWords(at: number): string {
  if (at < MINUTE || at >= LONG) return exactly(at, 's')
  const beyond = at - MINUTE
  return beyond === 0 ? `1${THIN}min` : `1${THIN}min ${exactly(beyond, 's')}`
}

/** What an axis counts in as long as it ends before `less`. */
function unitOf(step: number, to: number): { unit: number; name: string; less: number } {
  const week = HOURS_OF_A_WEEK * HOUR
  if (step % DAY === 0 && to >= week) return { unit: DAY, name: 'd', less: Number.POSITIVE_INFINITY }
  return step % HOUR === 0 ? { unit: HOUR, name: 'h', less: week } : { unit: MINUTE, name: 'min', less: HOUR }
}

function clockTicks(from: number, to: number, step: number): readonly Tick[] {
  const first = Math.ceil(from / step)
  const moments = Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step)
  const { unit, name, less } = unitOf(step, to)
  // "600 min" is the "10 h" of sentences.
  const mixed = step % unit !== 0 || to >= less
  return moments.map((at, i) => {
    if (mixed) return { at, words: at === 0 ? '0' : momentWords(at) }
    return { at, words: i > 0 ? count(at / unit) : `${count(at / unit)}${THIN}${name}` }
  })
}
