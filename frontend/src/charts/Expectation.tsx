import { format as d3format } from 'd3-format'
import { count, plural } from '../format'
import { Documented } from './expectation/Documented'
import css from './expectation/Expectation.module.css'
import { curveOf, type Expected, read } from './expectation/expected'
import { BOTTOM, frameOf, LEFT } from './expectation/frame'
import { Names } from './expectation/Names'
import { ownRate, rate, SCALES } from './expectation/rates'
import { onlyUnit, rowsOf } from './expectation/rows'
import { Said } from './expectation/Said'
import { caption, named, sentence } from './expectation/words'
import { Axis } from './frame/Axis'
import { defineChart } from './frame/chart'

function Plot({ data, width }: { data: Expected; width: number }) {
  const { comparison, point } = data
  const frame = frameOf(data, width)
  const unit = comparison.curves[0]
  if (!unit) return null
  const best = curveOf(comparison, point.best_curve)
  return (
    <svg
      className={comparison.direction === 'write' ? css.write : css.read}
      viewBox={`0 0 ${width} ${frame.height}`}
      height={frame.height}
    >
      <title>Documented bandwidth by number of processes, and the job's own</title>
      <Axis
        side="left"
        edge={LEFT}
        scale={frame.y}
        ticks={frame.yTicks.map((at) => ({ at, words: d3format(',~r')(at / SCALES[unit.unit]) }))}
        grid={[LEFT, frame.right]}
        name={{ words: unit.unit, x: LEFT - 6, y: 11, end: true }}
      />
      <Axis
        side="bottom"
        edge={frame.height - BOTTOM}
        scale={frame.x}
        ticks={frame.xTicks.map((at) => ({ at, words: count(at) }))}
        line={[LEFT, frame.right]}
        name={{ words: 'processes', x: frame.right, y: frame.height - 4, end: true }}
      />
      {comparison.curves.map((curve) => (
        <g key={curve.id} className={point.own.includes(curve.id) ? css.own : undefined}>
          <Documented curve={curve} frame={frame} />
        </g>
      ))}
      <Names comparison={comparison} point={point} frame={frame} width={width} />
      {best && point.best !== null && (
        <>
          <line
            className={css.gap}
            x1={frame.x(point.processes)}
            x2={frame.x(point.processes)}
            y1={frame.y(point.bytes_per_s)}
            y2={frame.y(point.best)}
          />
          <circle className={css.best} cx={frame.x(point.processes)} cy={frame.y(point.best)} r={5}>
            <title>{`best documented: ${rate(point.best, best)} with ${named(best)}`}</title>
          </circle>
        </>
      )}
      {comparison.points.map((p) => (
        <circle
          key={`${p.label}${p.by}${p.bytes_per_s}${p.processes}`}
          className={css.point}
          cx={frame.x(p.processes)}
          cy={frame.y(p.bytes_per_s)}
          r={p === point ? 6 : 4}
        >
          <title>{`${p.label}: ${ownRate(p.bytes_per_s, unit)} with ${plural(p.processes, 'process', 'processes')}`}</title>
        </circle>
      ))}
      <Said data={data} frame={frame} unit={unit} narrow={width < 480} />
    </svg>
  )
}

export const chart = defineChart<Expected>({
  id: 'expectation',
  order: 5,
  wide: true,
  question: 'How fast could such files be here?',
  read,
  sentence,
  caption,
  table: ({ all }) => {
    const unit = onlyUnit(all)
    const bandwidth = unit === null ? 'bandwidth' : `bandwidth, ${unit}`
    return {
      head: ['files or settings', 'processes', bandwidth, 'what it is'],
      rows: all.flatMap((comparison) => rowsOf(comparison, unit)),
    }
  },
  Plot,
})
