import { extent, max, min } from 'd3-array'
import { scaleLog } from 'd3-scale'
import { Axis } from '../charts/frame/Axis'
import { Figure } from '../charts/frame/Figure'
import css from '../charts/frame/marks.module.css'
import { count, format } from '../format'
import { bestOf, colourOf, isScaled, type Run, type ScaledRun } from './runs'

const HEIGHT = 260
const LEFT = 64
const RIGHT = 18
const TOP = 16
const BOTTOM = 40

/** Rate against processes, both by powers, with the line of a rate that grows as the processes do. */
export function RateByProcesses({ runs }: { runs: readonly Run[] }) {
  const scaled = runs.filter(isScaled).sort((a, b) => a.processes - b.processes)
  const bests = bestOf(scaled, (run) => String(run.processes)).filter(isScaled)
  const first = bests[0]
  const last = bests.at(-1)
  if (!first || !last || bests.length < 2) return null
  const times = last.rate / first.rate
  return (
    <Figure
      question="Does the rate grow with the ranks?"
      see={`From ${count(first.processes)} to ${count(last.processes)} ranks the rate goes from ${format(first.rate, 'B/s')} to ${format(last.rate, 'B/s')}: ${format(times, 'ratio')} for ${format(last.processes / first.processes, 'ratio')} the ranks.`}
      caption="Both axes by powers. Line through the best run of each number of ranks; dashed: a rate that grows as the ranks do."
      table={{
        head: ['run', 'ranks', 'rate'],
        rows: scaled.map((run) => [run.label, count(run.processes), format(run.rate, 'B/s')]),
      }}
    >
      {(width) => <Plot runs={scaled} bests={bests} first={first} last={last} width={width} />}
    </Figure>
  )
}

function Plot({
  runs,
  bests,
  first,
  last,
  width,
}: {
  runs: readonly ScaledRun[]
  bests: readonly ScaledRun[]
  first: ScaledRun
  last: ScaledRun
  width: number
}) {
  const ideal = (first.rate * last.processes) / first.processes
  const top = Math.max(ideal, max(runs, (run) => run.rate) ?? 1)
  const bottom = min(runs, (run) => run.rate) ?? 1
  const [low = 1, high = 2] = extent(runs, (run) => run.processes)
  const x = scaleLog([low, high], [LEFT + 12, width - RIGHT]).base(2)
  const y = scaleLog([bottom / 1.25, top * 1.1], [HEIGHT - BOTTOM, TOP]).base(2)
  const ticks = powersBetween(bottom / 1.25, top * 1.1)
  const path = bests.map((run, i) => `${i === 0 ? 'M' : 'L'}${x(run.processes)} ${y(run.rate)}`).join('')
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} height={HEIGHT}>
      <title>Rate of each run against its number of ranks</title>
      <Axis
        side="left"
        edge={LEFT}
        scale={y}
        ticks={ticks.map((at) => ({ at, words: format(at, 'B/s') }))}
        grid={[LEFT, width - RIGHT]}
      />
      <Axis
        side="bottom"
        edge={HEIGHT - BOTTOM}
        scale={x}
        ticks={spread(bests, 5).map(({ processes }) => ({ at: processes, words: count(processes) }))}
        line={[LEFT, width - RIGHT]}
        room={[0, width]}
        name={{ words: 'ranks', x: width - RIGHT, y: HEIGHT - 6, end: true }}
      />
      <path className={css.reference} d={`M${x(low)} ${y(first.rate)}L${x(high)} ${y(ideal)}`} />
      <path className={css.ring} d={path} />
      {runs.map((run) => (
        <circle key={run.label} className={css[colourOf(run)]} cx={x(run.processes)} cy={y(run.rate)} r={4.5}>
          <title>{`${run.label}: ${count(run.processes)} ranks, ${format(run.rate, 'B/s')}`}</title>
        </circle>
      ))}
    </svg>
  )
}

/** Powers of two, at most five. */
function powersBetween(low: number, high: number): readonly number[] {
  const from = Math.ceil(Math.log2(low))
  const to = Math.floor(Math.log2(high))
  const step = Math.max(1, Math.ceil((to - from + 1) / 5))
  const ticks: number[] = []
  for (let power = from; power <= to; power += step) ticks.push(2 ** power)
  return ticks
}

function spread<T>(items: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, Math.ceil(items.length / most))
  return items.filter((_, i) => i % step === 0)
}
