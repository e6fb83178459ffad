import { max, min } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import type { Comparison } from '../api/types'
import { Axis } from '../charts/frame/Axis'
import { byteTicks } from '../charts/frame/byteTicks'
import { Figure } from '../charts/frame/Figure'
import css from '../charts/frame/marks.module.css'
import { format, plural, ratioInColumn } from '../format'
import { best, colourOf, isRated, type RatedRun, type Run } from './runs'

const HEIGHT = 96
const MIDDLE = 40

/** Equal runs on one axis, with the stretch below the best within which equal runs usually lie. */
export function RepeatStrip({ runs, usual }: { runs: readonly Run[]; usual: Comparison['usual'] }) {
  const rated = runs.filter(isRated)
  const top = best(rated)
  const low = min(rated, (run) => run.rate)
  if (!top || low === undefined || rated.length < 2) return null
  const outside = rated.filter((run) => top.rate / run.rate > usual.factor).length
  return (
    <Figure
      question="How much do equal runs differ?"
      see={`Best ${format(top.rate, 'B/s')}, worst ${format(low, 'B/s')}: ${format(top.rate / low, 'ratio')}; ${outside === 0 ? 'all lie within what is usual' : `${plural(outside, 'run')} below what is usual`}.`}
      caption={`Rate from zero. Shaded: as far below the best as equal runs usually lie (a factor of ${format(usual.factor, '1')}).`}
      table={{
        head: ['run', 'rate', 'best over it'],
        rows: rated.map((run) => [run.label, format(run.rate, 'B/s'), ratioInColumn(top.rate / run.rate)]),
      }}
    >
      {(width) => <Plot runs={rated} top={top} usual={usual.factor} width={width} />}
    </Figure>
  )
}

function Plot({
  runs,
  top,
  usual,
  width,
}: {
  runs: readonly RatedRun[]
  top: RatedRun
  usual: number
  width: number
}) {
  const most = (max(runs, (run) => run.rate) ?? 1) * 1.05
  const x = scaleLinear([0, most], [8, width - 12])
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} height={HEIGHT}>
      <title>Rates of equal runs</title>
      <rect
        className={css.off}
        x={x(top.rate / usual)}
        y={MIDDLE - 18}
        width={Math.max(2, x(top.rate) - x(top.rate / usual))}
        height={36}
      />
      <Axis side="bottom" edge={MIDDLE} scale={x} ticks={[]} line={[x(0), width - 12]} />
      <Axis
        side="bottom"
        edge={HEIGHT - 32}
        scale={x}
        ticks={byteTicks(most, width < 480 ? 2 : 4, '/s').ticks.filter(({ at }) => at <= most)}
        room={[0, width]}
      />
      {runs.map((run) => (
        <circle
          key={run.label}
          className={css[colourOf(run)]}
          cx={x(run.rate)}
          cy={MIDDLE}
          r={6}
          fillOpacity={0.8}
        >
          <title>{`${run.label}: ${format(run.rate, 'B/s')}`}</title>
        </circle>
      ))}
    </svg>
  )
}
