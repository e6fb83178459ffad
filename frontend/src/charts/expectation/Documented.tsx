import { plural } from '../../format'
import css from './Expectation.module.css'
import type { Curve, Row } from './expected'
import type { Frame } from './frame'
import { rate } from './rates'

/** A line through the rows of a table, or for one with quartiles a box from the lower to the upper, the median in it. */
export function Documented({ curve, frame }: { curve: Curve; frame: Frame }) {
  const path = `M${curve.rows.map((row) => `${frame.x(row.processes)},${frame.y(row.rate)}`).join('L')}`
  return (
    <>
      {curve.rows.length > 1 && <path className={css.curve} d={path} />}
      {curve.rows.map((row) => (
        <g key={row.processes}>
          <Spread row={row} frame={frame} />
          <circle className={css.dot} cx={frame.x(row.processes)} cy={frame.y(row.rate)} r={2.5}>
            <title>{`${curve.title}, ${plural(row.processes, 'process', 'processes')}: ${rate(row.rate, curve)}`}</title>
          </circle>
        </g>
      ))}
    </>
  )
}

function Spread({ row, frame }: { row: Row; frame: Frame }) {
  if (row.lower_quartile === null || row.upper_quartile === null || row.maximum === null) return null
  const at = frame.x(row.processes)
  const [low, high, top] = [row.lower_quartile, row.upper_quartile, row.maximum].map(frame.y) as [
    number,
    number,
    number,
  ]
  return (
    <>
      <rect className={css.band} x={at - 14} y={high} width={28} height={Math.max(1, low - high)} />
      <line className={css.spread} x1={at} x2={at} y1={high} y2={top} />
      <line className={css.spreadEnd} x1={at - 7} x2={at + 7} y1={top} y2={top} />
      <line
        className={css.spreadEnd}
        x1={at - 14}
        x2={at + 14}
        y1={frame.y(row.rate)}
        y2={frame.y(row.rate)}
      />
    </>
  )
}
