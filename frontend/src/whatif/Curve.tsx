import { least } from 'd3-array'
import { scaleLog } from 'd3-scale'
import { Axis } from '../charts/frame/Axis'
import marks from '../charts/frame/marks.module.css'
import { textWidth } from '../charts/frame/text'
import { exactly, format } from '../format'
import { type Choice, stopsOf, type WhatIf } from './chosen'
import { tickWords } from './stops'
import css from './WhatIf.module.css'

const LEFT = 78
const RIGHT = 16
/** Pixels from the drawing's edges to its first value and from its last. */
export const FIRST = LEFT + 14
export const LAST = RIGHT + 14
const TOP = 20
const TALL = 170
const BOTTOM = 30

/** What was documented of each value, the job's own point, and the bounds of the one chosen, as rates. */
export function Curve({
  one,
  value,
  width,
  onChoose,
}: {
  one: WhatIf
  value: number
  width: number
  onChoose: (value: number) => void
}) {
  const stops = stopsOf(one)
  const own = one.bytes_moved / one.now_s
  const rateOf = (seconds: number) => one.bytes_moved / seconds
  const rates = [
    own,
    one.documented_now ?? own,
    ...one.choices.flatMap((c) => [c.rate, rateOf(c.least_s), rateOf(c.most_s)]),
  ]
  const values = stops.map((stop) => stop.value)
  const x = scaleLog([Math.min(...values), Math.max(...values)], [FIRST, width - LAST])
  const y = scaleLog([Math.min(...rates) / 1.3, Math.max(...rates) * 1.3], [TOP + TALL, TOP])
  const chosen = one.choices.find((choice) => choice.value === value)
  const nearest = (event: React.PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const at = ((event.clientX - box.left) * width) / box.width
    onChoose(least(values, (stop) => Math.abs(x(stop) - at)) ?? one.now)
  }
  const height = TOP + TALL + BOTTOM
  const base = TOP + TALL
  return (
    <svg
      className={`${css.curve} ${one.direction === 'write' ? css.write : css.read}`}
      viewBox={`0 0 ${width} ${height}`}
      height={height}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        nearest(event)
      }}
      onPointerMove={(event) => event.buttons === 1 && nearest(event)}
    >
      <title>Documented rate by setting, and the job's own</title>
      <Axis
        side="left"
        edge={LEFT}
        scale={y}
        ticks={rateTicks(y.domain() as [number, number])}
        grid={[LEFT, width - RIGHT]}
      />
      <Axis
        side="bottom"
        edge={base}
        scale={x}
        ticks={apart(values, x, one).map((at) => ({ at, words: tickWords(one.quantity, at) }))}
        line={[LEFT, width - RIGHT]}
      />
      <Documented one={one} x={x} y={y} />
      {chosen && (
        <>
          <rect
            className={css.bounds}
            x={x(value) - 9}
            y={y(rateOf(chosen.least_s))}
            width={18}
            height={Math.max(2, y(rateOf(chosen.most_s)) - y(rateOf(chosen.least_s)))}
            rx={3}
          />
          <line className={css.handle} x1={x(value)} x2={x(value)} y1={TOP} y2={base} />
          {chosen.alike_s !== null && (
            <circle className={css.alike} cx={x(value)} cy={y(rateOf(chosen.alike_s))} r={6} />
          )}
        </>
      )}
      <circle className={css.point} cx={x(one.now)} cy={y(own)} r={6} />
      <Said x={x(one.now)} y={y(own) + 20 > base ? y(own) - 10 : y(own) + 20} width={width}>
        {`this job: ${format(own, 'B/s')}`}
      </Said>
    </svg>
  )
}

type Scale = (value: number) => number

/** Lines between what was measured, broken where a value lies between. */
function Documented({ one, x, y }: { one: WhatIf; x: Scale; y: Scale }) {
  const { now, documented_now, choices } = one
  const own = documented_now === null ? [] : [{ value: now, rate: documented_now, documented: true }]
  const points = [...own, ...choices].sort((a, b) => a.value - b.value)
  const path = `M${points.map(({ value, rate }) => `${x(value)},${y(rate)}`).join('L')}`
  return (
    <>
      {points.length > 1 && <path className={css.between} d={path} />}
      {points
        .filter((choice) => choice.documented)
        .map((choice) => (
          <circle
            key={choice.value}
            className={css.measured}
            cx={x(choice.value)}
            cy={y(choice.rate)}
            r={3.5}
          >
            <title>{`documented: ${format(choice.rate, 'B/s')}`}</title>
          </circle>
        ))}
    </>
  )
}

function Said({ x, y, width, children }: { x: number; y: number; width: number; children: string }) {
  const half = textWidth(children, 12) / 2
  return (
    <text
      className={marks.strong}
      x={Math.max(LEFT + half + 4, Math.min(width - RIGHT - half, x))}
      y={y}
      textAnchor="middle"
    >
      {children}
    </text>
  )
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/** Round in binary units, at most five. */
export function rateTicks([low, high]: readonly [number, number]) {
  const all = [10, 20, 30, 40]
    .flatMap((power) => STEPS.map((step) => step * 2 ** power))
    .filter((rate) => rate >= low && rate <= high)
  const every = Math.ceil(all.length / 5)
  return all.filter((_, i) => i % every === 0).map((at) => ({ at, words: exactly(at, 'B/s') }))
}

/** Values whose words have room beside the others': the job's own and the ends first. */
function apart(values: readonly number[], x: Scale, one: WhatIf): readonly number[] {
  const shown: number[] = []
  const half = (value: number) => textWidth(tickWords(one.quantity, value), 12) / 2 + 5
  const known = one.choices.filter((choice: Choice) => choice.documented).map((choice) => choice.value)
  for (const value of [one.now, ...known, ...values])
    if (shown.every((other) => Math.abs(x(other) - x(value)) >= half(other) + half(value))) shown.push(value)
  return shown
}
