import marks from '../frame/marks.module.css'
import { fits, textWidth } from '../frame/text'
import { type Curve, curveOf, type Expected } from './expected'
import { BOTTOM, type Frame, LEFT } from './frame'
import { ownRate, rate } from './rates'

/** The job's own figure and the best one, beside their marks: on the side that has room, the best where curves rise to
 * it, on the left. */
export function Said({
  data,
  frame,
  unit,
  narrow,
}: {
  data: Expected
  frame: Frame
  unit: Curve
  narrow: boolean
}) {
  const { comparison, point } = data
  const at = frame.x(point.processes)
  const best = curveOf(comparison, point.best_curve)
  const high = best && point.best !== null ? frame.y(point.best) : null
  const low = frame.y(point.bytes_per_s)
  const who = point.by === 'job' ? 'this job' : point.by
  const own = narrow ? ownRate(point.bytes_per_s, unit) : `${who}: ${ownRate(point.bytes_per_s, unit)}`
  const top = best && point.best !== null ? rate(point.best, best) : ''
  const most = narrow ? top : `best documented: ${top}`
  const near = high !== null && Math.abs(high - low) < 18
  return (
    <>
      <text
        className={marks.strong}
        {...beside(own, at, frame, 'right')}
        y={low + 18 > frame.height - BOTTOM ? low - 8 : low + (near ? 18 : 16)}
      >
        {own}
      </text>
      {high !== null && (
        <text className={marks.label} {...beside(most, at, frame, 'left')} y={high - 8}>
          {most}
        </text>
      )}
    </>
  )
}

/** Where neither side has room it stands over its mark, between the axis and the names of the curves. */
export function beside(text: string, at: number, frame: Pick<Frame, 'right'>, wanted: 'left' | 'right') {
  const onRight = { x: at + 9, textAnchor: 'start' as const }
  const onLeft = { x: at - 9, textAnchor: 'end' as const }
  const [right, left] = [fits(text, frame.right - at - 9, 12), fits(text, at - LEFT - 9, 12)]
  if (!right && !left) {
    const wide = textWidth(text, 12)
    return {
      x: Math.max(LEFT + 4, Math.min(at - wide / 2, frame.right - wide)),
      textAnchor: 'start' as const,
    }
  }
  if (wanted === 'left') return left ? onLeft : onRight
  return right ? onRight : onLeft
}
