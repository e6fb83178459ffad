import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { Axis } from '../charts/frame/Axis'
import { Figure } from '../charts/frame/Figure'
import css from '../charts/frame/marks.module.css'
import { asSentence, format } from '../format'
import { best, bestOf, colourOf, isRated, type RatedRun, type Run } from './runs'

const ROW = 30
const LABEL = 92
const VALUE = 86

const nameOf = (run: RatedRun) => run.stripes_in_words ?? 'not known'

/** A bar for each stripe count: the best run of it. */
export function RateByStripes({ runs }: { runs: readonly Run[] }) {
  const rated = runs.filter(isRated)
  const bests = bestOf(rated, nameOf)
  const top = best(bests)
  const rest = bests.filter((run) => run !== top)
  const next = best(rest)
  if (!top || !next) return null
  return (
    <Figure
      question="Which stripe count is best?"
      see={asSentence(
        `${nameOf(top)} is the best: ${format(top.rate, 'B/s')}, ${format(top.rate / next.rate, 'ratio')} the next, ${nameOf(next)}`,
      )}
      caption="Rate in bytes per second, from zero; where a stripe count was tried several times, the best of it."
      table={{
        head: ['stripe count', 'run', 'rate'],
        rows: rated.map((run) => [nameOf(run), run.label, format(run.rate, 'B/s')]),
      }}
    >
      {(width) => <Plot runs={bests} width={width} />}
    </Figure>
  )
}

function Plot({ runs, width }: { runs: readonly RatedRun[]; width: number }) {
  const x = scaleLinear([0, max(runs, (run) => run.rate) ?? 1], [LABEL, Math.max(LABEL + 40, width - VALUE)])
  const height = runs.length * ROW + 4
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Rate by stripe count</title>
      <Axis side="left" edge={LABEL} scale={x} ticks={[]} line={[0, height]} />
      {runs.map((run, i) => (
        <g key={run.label}>
          <text className={css.name} x={LABEL - 8} y={i * ROW + 19} textAnchor="end">
            {nameOf(run)}
          </text>
          <rect
            className={css[colourOf(run)]}
            x={LABEL}
            y={i * ROW + 6}
            width={Math.max(1.5, x(run.rate) - LABEL)}
            height={ROW - 12}
          >
            <title>{`${run.label}, ${nameOf(run)}: ${format(run.rate, 'B/s')}`}</title>
          </rect>
          <text className={css.label} x={x(run.rate) + 6} y={i * ROW + 19}>
            {format(run.rate, 'B/s')}
          </text>
        </g>
      ))}
    </svg>
  )
}
