import { max, sum } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import type { CaseDocument } from '../analysis/caseDocument'
import { baseName, capital, count, format, orNotRecorded, plural, ranksWords } from '../format'
import { Axis } from './frame/Axis'
import { defineChart, type MissingEvidence } from './frame/chart'
import { AGGREGATOR_PLACEMENT } from './frame/evidence'
import { useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { clipped, fits, textWidth } from './frame/text'
import { EVEN, haveMost, isOne, moversWords } from './frame/words/rankWords'

type View = CaseDocument['charts']['aggregating'][number]
type Rank = View['ranks'][number]

interface Aggregators {
  /** The one that is drawn: with bytes where one has them, else the placement. */
  readonly first: View
  readonly views: readonly View[]
  /** Whether a call is known to be collective, or may be; where all are independent, nobody moves the bytes of others. */
  readonly shared: boolean
}

const SAYS: Readonly<Record<View['basis'], string>> = {
  placement: 'MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY',
  records: "Darshan's records of every rank",
  trace: 'DXT',
  heatmap: 'HEATMAP, inferred',
  variance: 'the variance of bytes over the ranks, inferred',
}
const MOST_BARS = 10

function read(document: CaseDocument): Aggregators | MissingEvidence {
  const views = document.charts.aggregating
  const first = views.find((view) => view.ranks.some((rank) => rank.bytes !== null)) ?? views[0]
  if (first) return { first, views, shared: !allIndependent(document) }
  return {
    missing:
      'No source says which ranks read and write on behalf of others; a Darshan log of a job with MPI-IO tells how many.',
    needs: AGGREGATOR_PLACEMENT,
  }
}

const allIndependent = ({ charts }: CaseDocument) =>
  charts.collective.length > 0 &&
  charts.collective.every(({ collective, nonblocking }) => collective === 0 && !nonblocking)

const fileOf = (view: View) => (view.file === null ? 'the files of MPI-IO' : baseName(view.file))
const placed = (views: readonly View[]) => views.find((view) => view.basis === 'placement')

function sentence({ first, views }: Aggregators): string {
  if (first.nprocs === 1) return `The one rank of the job moves the bytes of ${fileOf(first)}.`
  const ranks = moversOf(first)
  if (first.basis === 'variance') {
    const all = first.nprocs !== null && Math.round(first.count) === first.nprocs
    const about = all || isOne(first.count) || ranks.startsWith('about') ? ranks : `about ${ranks}`
    const which = all ? '' : '; which ones is not recorded'
    return `${capital(about)} ${isOne(first.count) ? 'moves' : 'move'} the bytes of ${fileOf(first)}, by their variance${which}.`
  }
  if (first.basis === 'placement')
    return `${capital(ranks)} ${isOne(first.count) ? 'aggregates' : 'aggregate'} for ${fileOf(first)}${nodes(first)}; how many bytes each moves is not recorded.`
  const others = haveMost({ movers: first.count, active: null, ranks: first.nprocs })
  const [most, least] = [first.ranks[0]?.bytes ?? 0, first.ranks.at(-1)?.bytes ?? 0]
  const spread =
    first.ranks.length < 2
      ? ''
      : others
        ? `; rank ${first.ranks[0]?.rank ?? 0} moves the most, ${format(most, 'B')}`
        : areEven(first)
          ? `, ${format(most, 'B')} each`
          : `, from ${format(least, 'B')} to ${format(most, 'B')} each`
  const table = placed(views)
  const meant = table ? ` The library placed ${plural(table.count, 'aggregator')}.` : ''
  return `${capital(ranks)} ${isOne(first.count) ? 'moves' : 'move'} ${others ? 'most of ' : ''}the bytes of ${fileOf(first)}${nodes(first)}${spread}.${meant}`
}

const areEven = ({ ranks }: View) => (ranks[0]?.bytes ?? 0) <= EVEN * (ranks.at(-1)?.bytes ?? 0)

/** Ranks with most bytes first; where all have as many, by number. */
const inOrder = (view: View) => (areEven(view) ? [...view.ranks].sort((a, b) => a.rank - b.rank) : view.ranks)

const moversOf = (view: View) => moversWords({ movers: view.count, ranks: view.nprocs })
const nodes = (view: View) => (view.nodes === null ? '' : `, on ${plural(view.nodes, 'node')}`)

interface Bar {
  readonly name: string
  readonly ranks: readonly Rank[]
}

/** A bar for each rank, or for each node where there are many ranks and their nodes are known. */
function barsOf(view: View): Bar[] {
  if (view.ranks.length <= MOST_BARS || view.nodes === null)
    return inOrder(view).map((rank) => ({ name: `rank ${rank.rank}`, ranks: [rank] }))
  const byNode = new Map<string, Rank[]>()
  for (const rank of view.ranks) byNode.set(rank.node ?? '', [...(byNode.get(rank.node ?? '') ?? []), rank])
  return [...byNode].map(([name, ranks]) => ({ name, ranks }))
}

const total = (bar: Bar) => sum(bar.ranks, (rank) => rank.bytes ?? 0)
const ROW = 22
/** The size of a row's name. */
const NAME = 12

function Plot({ data: { first, shared }, width }: { data: Aggregators; width: number }) {
  const fill = shared ? css.collective : css.independent
  if (first.basis === 'variance') return <Counted view={first} width={width} fill={fill} />
  return <Bars view={first} width={width} fill={fill} />
}

interface Drawn {
  view: View
  width: number
  fill: string | undefined
}

function Bars({ view, width, fill }: Drawn) {
  const mark = useMarks()
  const bars = barsOf(view)
  const shown = bars.slice(0, MOST_BARS)
  // Names of nodes may be those of the whole network.
  const longest = max(shown, ({ name }) => textWidth(name, NAME) + 8) ?? 0
  const left = Math.max(84, Math.min(0.4 * width, longest))
  const known = view.ranks.some((rank) => rank.bytes !== null)
  const right = width - 66
  const x = scaleLinear([0, max(bars, total) || 1], [left, right])
  const dots = max(shown, (bar) => bar.ranks.length) ?? 1
  const step = Math.min(14, (right - left - 24) / Math.max(1, dots - 1))
  const height = shown.length * ROW + (bars.length > shown.length ? 18 : 2)
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Ranks that aggregate</title>
      <Axis side="left" edge={left} scale={x} ticks={[]} line={[0, shown.length * ROW]} />
      {shown.map((bar, i) => {
        const only = bar.ranks.length === 1 ? bar.ranks[0] : undefined
        const words = `${bar.name}${only?.node ? ` on ${only.node}` : ''}: ${known ? format(total(bar), 'B') : 'bytes not recorded'}`
        const beside = left + 24 + (bar.ranks.length - 1) * step
        let from = left
        return (
          <g key={bar.name} transform={`translate(0 ${i * ROW})`}>
            <text className={css.name} y={14}>
              {clipped(bar.name, left - 8, NAME)}
              <title>{bar.name}</title>
            </text>
            {known
              ? bar.ranks.map((rank) => {
                  const at = from
                  from += x(rank.bytes ?? 0) - left
                  return (
                    <rect
                      key={rank.rank}
                      {...mark({ kind: 'rank', id: rank.rank }, fill)}
                      x={at + 0.5}
                      y={3}
                      width={Math.max(1, from - at - 1)}
                      height={14}
                    >
                      <title>{words}</title>
                    </rect>
                  )
                })
              : bar.ranks.map((rank, r) => (
                  <circle
                    key={rank.rank}
                    {...mark({ kind: 'rank', id: rank.rank }, fill)}
                    cx={left + 12 + r * step}
                    cy={10}
                    r={Math.max(1, Math.min(4.5, step / 3))}
                  >
                    <title>{words}</title>
                  </circle>
                ))}
            {known ? (
              <text className={css.label} x={from + 6} y={14}>
                {format(total(bar), 'B')}
              </text>
            ) : (
              <text className={css.label} x={beside} y={14}>
                {only ? clipped(only.node ?? '', width - beside) : plural(bar.ranks.length, 'rank')}
                <title>{words}</title>
              </text>
            )}
          </g>
        )
      })}
      {bars.length > shown.length && (
        <text x={0} y={height - 4}>
          and {count(bars.length - shown.length)} more: see the table
        </text>
      )}
    </svg>
  )
}

const MANY = 512

/** Whether there is room for a square for each rank. */
const hasSquares = ({ nprocs }: View): boolean => nprocs !== null && nprocs <= MANY

/** As many ranks as share the bytes, of all of them: which ones is not known, so that none is drawn by its number. */
function Counted({ view, width, fill }: Drawn) {
  const of = view.nprocs
  const words = of === 1 ? moversOf(view) : `${moversOf(view)}, as if in equal parts`
  if (of === null || !hasSquares(view)) {
    const part = of === null ? 1 : Math.min(1, view.count / of)
    return (
      <svg viewBox={`0 0 ${width} 44`} height={44}>
        <title>Ranks that aggregate</title>
        <rect className={css.off} x={0} y={2} width={width - 2} height={20} />
        <rect className={fill} x={0} y={2} width={Math.max(2, part * (width - 2))} height={20} />
        <text className={css.label} x={0} y={37}>
          {words}
        </text>
      </svg>
    )
  }
  const columns = of > 128 ? 64 : 32
  const step = Math.min(14, (width - 2) / columns)
  const rows = Math.ceil(of / columns)
  const whole = Math.floor(view.count + 0.005)
  return (
    <svg viewBox={`0 0 ${width} ${rows * step + 24}`} height={rows * step + 24}>
      <title>Ranks that aggregate</title>
      {Array.from({ length: of }, (_, i) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: squares of a count
          key={i}
          className={i < whole ? fill : css.off}
          x={(i % columns) * step}
          y={Math.floor(i / columns) * step}
          width={step * 0.76}
          height={step * 0.76}
        />
      ))}
      <text className={css.label} x={0} y={rows * step + 15}>
        {fits(words, width) ? words : moversOf(view)}
      </text>
    </svg>
  )
}

export const chart = defineChart<Aggregators>({
  id: 'aggregating',
  order: 3.5,
  question: 'Which ranks aggregate, on which nodes, and how many bytes each?',
  read,
  sentence,
  caption: ({ first, views }) =>
    [
      `By ${SAYS[first.basis]}.`,
      first.ranks.some((rank) => rank.bytes !== null) &&
        'Bytes of POSIX calls on the files that MPI-IO opened.',
      first.basis === 'variance' && hasSquares(first) && 'Squares are a count, not rank numbers.',
      first.basis === 'variance' && 'Unequal parts make the figure lower.',
      views.length > 1 && `${plural(views.length - 1, 'more table')} of ranks below, in the data table.`,
    ]
      .filter(Boolean)
      .join(' '),
  table: ({ views }) => ({
    head: ['file and rank', 'node', 'bytes', 'by'],
    rows: views.flatMap((view) =>
      view.ranks.length === 0
        ? [
            [
              `${fileOf(view)}: ${ranksWords(view.count)} ${isOne(view.count) ? 'rank' : 'ranks'}`,
              'not recorded',
              'not recorded',
              SAYS[view.basis],
            ],
          ]
        : inOrder(view).map((rank) => [
            `${fileOf(view)}: rank ${rank.rank}`,
            rank.node ?? 'not recorded',
            orNotRecorded(rank.bytes, (bytes) => format(bytes, 'B')),
            SAYS[view.basis],
          ]),
    ),
  }),
  links: ({ first }) =>
    inOrder(first)
      .slice(0, MOST_BARS)
      .map((rank) => ({ name: `rank ${rank.rank}`, link: { kind: 'rank', id: rank.rank } })),
  Plot,
})
