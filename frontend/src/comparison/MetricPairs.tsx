import { max, sum } from 'd3-array'
import { scaleLog } from 'd3-scale'
import type { Comparison } from '../api/types'
import { Axis } from '../charts/frame/Axis'
import { Figure } from '../charts/frame/Figure'
import css from '../charts/frame/marks.module.css'
import { begun, textWidth } from '../charts/frame/text'
import { format, plural, count as whole } from '../format'
import pairs from './MetricPairs.module.css'

type Row = Comparison['metrics'][number]

interface Pair {
  readonly row: Row
  readonly before: number
  readonly after: number
  /** Both as they are said. */
  readonly words: readonly [string, string]
  readonly change: Row['changes'][number]
}

const ROW = 30
const MOST = 14
/** Farther out than this, a dot stands at the edge: 0 has no place on an axis of factors. */
const FARTHEST = 1000

const SIGN_OF = { 'at least': '≥ ', 'at most': '≤ ', none: '' } as const

/** The figures that both runs have and that differ. */
export const pairsOf = ({ metrics }: Comparison, against: number, run: number): readonly Pair[] =>
  metrics.flatMap((row): Pair[] => {
    const [before, after] = [row.values[against], row.values[run]]
    const change = row.changes[run]
    if (before == null || after == null || change === undefined || change === 'same') return []
    const worded = (value: number, at: number) =>
      `${SIGN_OF[row.bounds[at] ?? 'none']}${format(value, row.unit)}`
    return [{ row, before, after, words: [worded(before, against), worded(after, run)], change }]
  })

/** How each quantity went from one run to the other, all on one axis of factors. */
export function MetricPairs({
  comparison,
  against,
  run,
}: {
  comparison: Comparison
  against: number
  run: number
}) {
  const all = pairsOf(comparison, against, run)
  const shown = all.slice(0, MOST)
  const labels = [comparison.runs[against]?.label ?? 'A', comparison.runs[run]?.label ?? 'B'] as const
  if (shown.length === 0) return null
  const count = (what: Pair['change']) => all.filter((pair) => pair.change === what).length
  return (
    <Figure
      question={`What became of the figures from ${labels[0]} to ${labels[1]}?`}
      see={summed([
        [count('better'), 'better'],
        [count('worse'), 'worse'],
        [count('usual'), 'within what is usual for equal runs'],
        [count('other'), 'neither better nor worse on their own'],
      ])}
      caption={`Factor of ${labels[1]} to ${labels[0]}, by powers of ten; the ring is ${labels[0]}, the filled mark ${labels[1]}: an upward triangle is better, a downward one worse, a dot neither; at the edge, that much or more.${all.length > shown.length ? ` ${plural(all.length - shown.length, 'more figure')} in the table.` : ''}`}
      table={{
        head: ['quantity', labels[0], labels[1], 'change'],
        rows: all.map((pair) => [pair.row.title, ...pair.words, WORDS[pair.change]]),
      }}
    >
      {(width) => <Plot pairs={shown} width={width} />}
    </Figure>
  )
}

const WORDS = {
  better: 'better',
  worse: 'worse',
  usual: 'within the usual',
  same: 'the same',
  other: 'neither better nor worse',
  unknown: 'not known',
} as const

function summed(counts: readonly (readonly [number, string])[]): string {
  const some = counts.filter(([n]) => n > 0)
  const all = sum(some, ([n]) => n)
  return `Of ${plural(all, 'figure that differs', 'figures that differ')}, ${some.map(([n, what]) => `${n} ${n === 1 ? 'is' : 'are'} ${what}`).join(', ')}.`
}

const factorOf = ({ before, after }: Pair): number => {
  if (before === 0) return after === 0 ? 1 : FARTHEST
  if (after === 0) return 1 / FARTHEST
  return Math.min(FARTHEST, Math.max(1 / FARTHEST, after / before))
}

function Plot({ pairs: rows, width }: { pairs: readonly Pair[]; width: number }) {
  const narrow = width < 560
  const longest = max(rows, ({ row }) => textWidth(row.title, 12)) ?? 0
  const label = narrow ? 0 : Math.min(longest, width * 0.4)
  const figures = narrow ? 0 : 150
  const farthest = Math.max(10, max(rows, (pair) => Math.max(factorOf(pair), 1 / factorOf(pair))) ?? 10)
  const edge = 10 ** Math.ceil(Math.log10(farthest))
  const x = scaleLog([1 / edge, edge], [label + 12, width - figures - 12])
  const step = narrow ? ROW + 16 : ROW
  const height = rows.length * step + 26
  const powers = Math.round(Math.log10(edge))
  const ticks = [
    1 / edge,
    ...(powers > 1 ? [10 ** -Math.floor(powers / 2)] : []),
    1,
    ...(powers > 1 ? [10 ** Math.floor(powers / 2)] : []),
    edge,
  ]
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Factor between the two runs, for each quantity</title>
      <Axis
        side="bottom"
        edge={height - 20}
        scale={x}
        ticks={ticks.map((at) => ({ at, words: factorWords(at) }))}
        grid={[4, height - 22]}
        room={[0, width]}
        origin={1}
      />
      {rows.map((pair, i) => {
        const y = i * step + (narrow ? 32 : 18)
        const at = x(factorOf(pair))
        const figuresSaid = pair.words.join(' → ')
        return (
          <g key={pair.row.id}>
            <text className={css.name} x={0} y={narrow ? y - 14 : y + 4}>
              {begun(pair.row.title, narrow ? width - textWidth(figuresSaid, 12) - 12 : label, 12)}
              <title>{pair.row.title}</title>
            </text>
            <text className={css.label} x={width} y={narrow ? y - 14 : y + 4} textAnchor="end">
              {figuresSaid}
            </text>
            <line className={css.whisker} x1={x(1)} x2={at} y1={y} y2={y} />
            <circle className={pairs.before} cx={x(1)} cy={y} r={4} />
            <path className={pairs.after} d={mark(pair.change, at, y)}>
              <title>{`${pair.row.title}: ${figuresSaid}, ${WORDS[pair.change]}`}</title>
            </path>
          </g>
        )
      })}
    </svg>
  )
}

function factorWords(factor: number): string {
  if (factor === 1) return 'same'
  return factor < 1 ? `÷ ${whole(Math.round(1 / factor))}` : `× ${whole(factor)}`
}

/** Up is better, down is worse, and a dot neither, so that no colour has to say it. */
function mark(change: Pair['change'], x: number, y: number): string {
  if (change === 'better') return `M${x - 6} ${y + 5}L${x + 6} ${y + 5}L${x} ${y - 6}Z`
  if (change === 'worse') return `M${x - 6} ${y - 5}L${x + 6} ${y - 5}L${x} ${y + 6}Z`
  return `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z`
}
