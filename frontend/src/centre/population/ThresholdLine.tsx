import { max } from 'd3-array'
import { scaleLinear, scaleLog, scalePow } from 'd3-scale'
import { type KeyboardEvent, type PointerEvent, useId } from 'react'
import type { RuleView, Unit } from '../../api/types'
import { Axis, roomLeft } from '../../charts/frame/Axis'
import { useWidth } from '../../charts/frame/useWidth'
import { count, exactly, format, inPlainWords, plural } from '../../format'
import { sliderStep } from '../../ui/sliderStep'
import css from './Population.module.css'
import type { Population } from './queries'

type Threshold = RuleView['thresholds'][number]

const HEIGHT = 220
const TOP = 28
const BOTTOM = 36
const RIGHT = 16
/** Between the axis and the first bar, so that the line does not lie on the axis's words. */
const ROOM = 14
/** Of the width, a step of an arrow key; ten with PageUp and PageDown. */
const STEP = 0.01

/** The distribution of what a threshold is compared with, the threshold a line to drag or to move by keys. */
export function ThresholdLine({
  population,
  threshold,
  value,
  onMove,
}: {
  population: Population
  threshold: Threshold
  value: number
  onMove: (value: number) => void
}) {
  const [frame, width] = useWidth<HTMLDivElement>()
  const title = useId()
  const { bins, low, high } = population
  const most = max(bins, (bin) => bin.logs) ?? 0
  const y = scalePow()
    .exponent(0.5)
    .domain([0, Math.max(1, most)])
    .range([HEIGHT - BOTTOM, TOP])
  const counts = y
    .ticks(4)
    .filter(Number.isInteger)
    .map((tick) => ({ at: tick, words: count(tick) }))
  const left = roomLeft(counts, 44)
  const x = (population.scale === 'log' ? scaleLog() : scaleLinear())
    .domain([low, high])
    .range([left + ROOM, width - RIGHT])
    .clamp(true)
  const at = x(value)
  const flags = (bin: Population['bins'][number]) =>
    population.direction === 'above' ? bin.low >= value : bin.high <= value
  const within = (number: number) => Math.min(threshold.maximum, Math.max(threshold.minimum, number))
  const moveTo = (pixels: number) => onMove(within(rounded(x.invert(pixels))))
  const drag = (event: PointerEvent<SVGSVGElement>) => {
    if (event.buttons === 1) moveTo(event.clientX - event.currentTarget.getBoundingClientRect().left)
  }
  const press = (event: KeyboardEvent) => {
    const steps = sliderStep(event.key, 10)
    if (steps === null) return
    const [from, to] = [left + ROOM, width - RIGHT]
    moveTo(Math.min(to, Math.max(from, at + steps * (to - from) * STEP)))
    event.preventDefault()
  }
  return (
    <div className={css.frame} ref={frame}>
      <svg
        width={width}
        height={HEIGHT}
        className={css.plot}
        aria-labelledby={title}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          drag(event)
        }}
        onPointerMove={drag}
      >
        <title id={title}>{inSentence(population, threshold)}</title>
        <Axis
          side="left"
          edge={left}
          scale={y}
          ticks={counts}
          grid={[left, width - RIGHT]}
          name={{ words: 'logs', x: 0, y: 12 }}
        />
        {bins.map((bin) => (
          <rect
            key={bin.low}
            className={flags(bin) ? css.flagged : css.passed}
            x={x(bin.low) + 0.5}
            width={Math.max(1, x(bin.high) - x(bin.low) - 1)}
            y={y(bin.logs)}
            height={HEIGHT - BOTTOM - y(bin.logs)}
          />
        ))}
        <Axis
          side="bottom"
          edge={HEIGHT - BOTTOM}
          scale={x}
          ticks={x.ticks(width / 120).map((tick) => ({ at: tick, words: exactly(tick, threshold.unit) }))}
          line={[left, width - RIGHT]}
          room={[0, width]}
          marks
        />
        <g
          role="slider"
          tabIndex={0}
          className={css.line}
          aria-label={threshold.title}
          aria-orientation="horizontal"
          aria-valuemin={threshold.minimum}
          aria-valuemax={threshold.maximum}
          aria-valuenow={value}
          aria-valuetext={inPlainWords(value, threshold.unit)}
          onKeyDown={press}
        >
          <rect
            className={css.grip}
            x={at - 12}
            y={TOP - 10}
            width={24}
            height={HEIGHT - BOTTOM - TOP + 10}
          />
          <line x1={at} x2={at} y1={TOP - 8} y2={HEIGHT - BOTTOM} />
          <circle cx={at} cy={TOP - 8} r={5} />
          <text x={at} y={12} textAnchor={at > width - 90 ? 'end' : at < left + 60 ? 'start' : 'middle'}>
            {exactly(value, threshold.unit)}
          </text>
        </g>
      </svg>
      <AsTable bins={bins} unit={threshold.unit} />
    </div>
  )
}

const AsTable = ({ bins, unit }: { bins: Population['bins']; unit: Unit }) => (
  <details className={css.table}>
    <summary>The distribution as a table</summary>
    <table aria-label="The distribution">
      <thead>
        <tr>
          <th scope="col">from</th>
          <th scope="col">to</th>
          <th scope="col">logs</th>
        </tr>
      </thead>
      <tbody>
        {bins
          .filter((bin) => bin.logs > 0)
          .map((bin) => (
            <tr key={bin.low}>
              <td>{format(bin.low, unit)}</td>
              <td>{format(bin.high, unit)}</td>
              <td className="num">{count(bin.logs)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  </details>
)

/** To three digits: nobody chooses a threshold finer than that with a line. */
const rounded = (value: number): number => Number(value.toPrecision(3))

function inSentence({ deciding, low, high, metrics, scale }: Population, { unit }: Threshold): string {
  const by = scale === 'log' ? ', on a logarithmic scale' : ''
  return `${metrics.join(', ')} of ${plural(deciding, 'log')}, from ${format(low, unit)} to ${format(high, unit)}${by}; the height is the square root of their number.`
}
