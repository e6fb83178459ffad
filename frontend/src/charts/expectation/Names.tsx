import marks from '../frame/marks.module.css'
import { begun } from '../frame/text'
import css from './Expectation.module.css'
import type { Comparison, Point } from './expected'
import type { Frame } from './frame'
import { named } from './words'

/** From one name to the next below it. */
const GAP = 13

/** The names of the curves at their right ends, moved apart where they would collide. */
export function Names({
  comparison,
  point,
  frame,
  width,
}: {
  comparison: Comparison
  point: Point
  frame: Frame
  width: number
}) {
  const ends = comparison.curves
    .flatMap((curve) => {
      const last = curve.rows.at(-1)
      return last ? [{ curve, from: frame.x(last.processes), wanted: frame.y(last.rate) }] : []
    })
    .sort((a, b) => a.wanted - b.wanted)
  let lowest = -Infinity
  return ends.map(({ curve, from, wanted }) => {
    const y = Math.max(wanted, lowest + GAP)
    lowest = y
    const x = frame.right + 8
    const own = point.own.includes(curve.id)
    return (
      <g key={curve.id}>
        <line className={css.leader} x1={from + 3} x2={x - 3} y1={wanted} y2={y} />
        <text className={own ? marks.name : undefined} x={x} y={y + 4}>
          {begun(named(curve), width - x)}
          <title>{curve.title}</title>
        </text>
      </g>
    )
  })
}
