import type { ScaleLinear } from 'd3-scale'
import type { ReactNode } from 'react'
import { Axis } from '../../charts/frame/Axis'
import { secondTicks } from '../../charts/frame/secondTicks'
import type { Box } from '../box'
import css from '../Plane.module.css'
import { type Rows, ticksOf } from '../rows'

export interface Mark {
  readonly from_s: number
  readonly to_s: number
  readonly late: boolean
}

export const TOP = 10
export const UNDER = 26

interface AxesProps {
  readonly box: Box
  readonly down: Rows
  readonly x: ScaleLinear<number, number>
  readonly y: ScaleLinear<number, number>
  /** Pixels: of all that is drawn, and of the plane within it. */
  readonly room: number
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly marks: readonly Mark[]
  readonly above?: ((x: (t: number) => number, width: number) => ReactNode) | undefined
  readonly beside?: ((y: (row: number) => number, height: number) => ReactNode) | undefined
}

/** Around the plane: its axes, the marks of phases, and what stands above and beside it. */
export function Axes({ box, down, x, y, room, left, top, width, height, marks, above, beside }: AxesProps) {
  const ticks = secondTicks(x, width < 420 ? 4 : 8)
  const middleOf = (row: number) => (down.whole && height / (box.y1 - box.y0) >= 8 ? y(row + 0.5) : y(row))
  return (
    <svg
      className={css.axes}
      viewBox={`0 0 ${room} ${top + height + UNDER}`}
      height={top + height + UNDER}
      aria-hidden="true"
    >
      <g transform={`translate(${left} ${top})`}>
        <Axis
          side="left"
          edge={0}
          scale={middleOf}
          ticks={ticksOf(down, box.y0, box.y1, (about) => y.ticks(about))
            .filter((at) => middleOf(at) >= 0 && middleOf(at) <= height)
            .map((at) => ({ at, words: down.name(at) }))}
          name={{ words: down.title, x: -left, y: height + 16 }}
        />
        <Axis side="bottom" edge={height} scale={x} ticks={ticks} room={[-left, width]} marks />
        {marks
          .filter((mark) => mark.to_s >= box.t0 && mark.from_s <= box.t1)
          .map((mark) => {
            const from = Math.max(0, x(mark.from_s))
            return (
              <rect
                key={mark.from_s}
                className={mark.late ? css.late : css.phase}
                x={from}
                y={-6}
                width={Math.max(2, Math.min(width, x(mark.to_s)) - from)}
                height={4}
              />
            )
          })}
      </g>
      {above && <g transform={`translate(${left} ${TOP})`}>{above(x, width)}</g>}
      {beside && <g transform={`translate(${left + width + 4} ${top})`}>{beside(y, height)}</g>}
    </svg>
  )
}
