import type { ScaleLinear } from 'd3-scale'
import { format } from '../../format'
import { useTime } from './linked'
import css from './linked.module.css'
import { textWidth } from './text'

/** A line at the second of the run that is pointed at in this chart or another, with its time by the axis. */
export function TimeCursor({
  x,
  from_s = 0,
  to_s,
  top,
  bottom,
  right,
}: {
  x: (seconds: number) => number
  /** The second of the run at which the axis of time begins: that of a later step has its own 0. */
  from_s?: number
  /** Where the axis of time ends. */
  to_s: number
  top: number
  bottom: number
  /** Up to here the time may be written. */
  right: number
}) {
  const ofRun = useTime()
  const time = ofRun === null ? null : ofRun - from_s
  if (time === null || time < 0 || time > to_s) return null
  const at = x(time)
  const words = format(time, 's')
  const half = textWidth(words) / 2
  return (
    <g data-shown="time">
      <line className={css.cursor} x1={at} x2={at} y1={top} y2={bottom} />
      <text
        className={css.at}
        x={Math.min(right - half, Math.max(half, at))}
        y={bottom + 14}
        textAnchor="middle"
      >
        {words}
      </text>
    </g>
  )
}

const STEPS = 200

/** The second under the pointer over a mark that begins where `x` has 0; null beyond the axis. In steps, so that not every
 * pixel is another one. */
export function secondsAt(
  event: { readonly clientX: number; readonly currentTarget: Element },
  x: ScaleLinear<number, number>,
): number | null {
  const [, to_s = 0] = x.domain()
  const along = event.clientX - event.currentTarget.getBoundingClientRect().left
  const share = x.invert(x(0) + along) / to_s
  return share >= 0 && share <= 1 ? (Math.round(share * STEPS) / STEPS) * to_s : null
}
