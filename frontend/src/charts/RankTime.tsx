import { greatest, max, sum } from 'd3-array'
import { type ScaleLinear, scaleLinear } from 'd3-scale'
import type { CaseDocument } from '../analysis/caseDocument'
import { aboutRanks, count, format, plural } from '../format'
import { unpack } from '../timeline/unpack'
import { Axis, roomLeft } from './frame/Axis'
import { defineChart, type MarkedLink, type MissingEvidence } from './frame/chart'
import { HEATMAP_OR_TRACE } from './frame/evidence'
import { type Link, useShown } from './frame/linked'
import css from './frame/marks.module.css'
import { rankTicks } from './frame/rankTicks'
import { secondTicks } from './frame/secondTicks'
import { secondsAt, TimeCursor } from './frame/TimeCursor'
import { LAYER_NAMES } from './frame/words/layerNames'
import { ranksFromTo } from './frame/words/ranksFromTo'
import { EVEN, haveMost } from './frame/words/rankWords'

type Grid = NonNullable<CaseDocument['charts']['activity']>['grids'][number]

interface RankTime {
  /** At most two, of one source: as called, and as stored. */
  readonly panels: readonly Grid[]
  /** Of the same layers, how the ranks share the bytes. */
  readonly shares: NonNullable<CaseDocument['charts']['ranks']>['series']
}

/** Shades from few bytes to many. */
const SHADES = [
  'var(--ramp-1)',
  'color-mix(in oklab, var(--ramp-1) 50%, var(--ramp-2))',
  'var(--ramp-2)',
  'color-mix(in oklab, var(--ramp-2) 50%, var(--ramp-3))',
  'var(--ramp-3)',
] as const

const bytesOf = (grid: Grid) => sum(grid.read_by_row) + sum(grid.written_by_row)
const both = (a: readonly number[], b: readonly number[]) => a.map((value, i) => value + (b[i] ?? 0))

/** The ranks of a row: first and last. */
function ranksOf(grid: Pick<Grid, 'rows' | 'nprocs'>, row: number): readonly [number, number] {
  const first = (i: number) => Math.ceil((i * grid.nprocs) / grid.rows)
  return [first(row), first(row + 1) - 1]
}

function read(document: CaseDocument): RankTime | MissingEvidence {
  const grids = document.charts.activity?.grids ?? []
  const first = greatest(grids, bytesOf)
  const panels = grids
    .filter((grid) => grid.source === first?.source)
    .sort((a, b) => bytesOf(b) - bytesOf(a))
    .slice(0, 2)
    .sort((a, b) => (a.layer === 'MPIIO' ? -1 : b.layer === 'MPIIO' ? 1 : 0))
  if (panels.length > 0) return { panels, shares: document.charts.ranks?.series ?? [] }
  return {
    missing: 'No source tells which rank moved bytes when: none has a heatmap or a trace of calls.',
    needs: HEATMAP_OR_TRACE,
  }
}

function who(grid: Grid, shares: RankTime['shares']): string {
  const share = grid.busiest_rank_bytes / bytesOf(grid)
  const rank = `rank ${grid.busiest_rank}`
  if (grid.nprocs === 1) return 'the one rank moves its bytes'
  if (grid.ranks_active === 1) return `${rank} moves 100\u202f% of the bytes`
  const of = shares.find(({ layer, ranks }) => layer === LAYER_NAMES[grid.layer] && ranks === grid.nprocs)
  const least = of?.partial && grid.ranks_active < grid.nprocs ? 'at least ' : ''
  const active = grid.ranks_active === grid.nprocs ? 'all' : `${least}${count(grid.ranks_active)} of`
  if (of && !of.partial && haveMost({ ...of, active: grid.ranks_active }))
    return `${active} ${count(grid.nprocs)} ranks move bytes, ${aboutRanks(of.movers)} of them most`
  const most = share > 1.5 / grid.ranks_active ? `, ${rank} ${format(share, 'share')} of them` : ''
  return `${active} ${count(grid.nprocs)} ranks move bytes${most}`
}

function sentence({ panels, shares }: RankTime): string {
  const sentences = panels.map(
    (grid) => `At ${LAYER_NAMES[grid.layer]} ${who(grid, shares)}, in ${plural(grid.bursts, 'burst')}.`,
  )
  return sentences.join(' ')
}

const TOP = 62
const BODY = 168
const UNDER = 34
const HEIGHT = TOP + BODY + UNDER

function Plot({ data, width }: { data: RankTime; width: number }) {
  const beside = data.panels.length > 1 && width >= 640
  const gap = 28
  const each = beside ? (width - gap) / 2 : width
  const height = beside ? HEIGHT : HEIGHT * data.panels.length
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Bytes by rank and time</title>
      {data.panels.map((grid, i) => (
        <g
          key={grid.layer}
          transform={beside ? `translate(${i * (each + gap)} 0)` : `translate(0 ${i * HEIGHT})`}
        >
          <Panel grid={grid} width={each} />
        </g>
      ))}
    </svg>
  )
}

function Panel({ grid, width }: { grid: Grid; width: number }) {
  const named = rankTicks(grid.nprocs, 5)
  const left = roomLeft(named, 34)
  const right = 64
  const x = scaleLinear([0, grid.to_s], [left, width - right])
  const y = scaleLinear([0, grid.nprocs], [TOP, TOP + BODY])
  const byRow = both(grid.read_by_row, grid.written_by_row)
  const byTime = both(grid.read_by_time, grid.written_by_time)
  const peak = max(byTime) || 1
  const most = max(byRow) || 1
  const rate = peak / (grid.to_s / grid.columns)
  const topRow = byRow.indexOf(most)
  const [from, to] = ranksOf(grid, topRow)
  const bars = scaleLinear([0, most], [0, right - 10])
  const rise = scaleLinear([0, peak], [0, 26])
  return (
    <>
      <text className={css.name} x={0} y={11}>
        {LAYER_NAMES[grid.layer]}
      </text>
      <text x={left} y={26}>{`peak ${format(rate, 'B/s')}`}</text>
      <text x={width} y={11} textAnchor="end">{`${ranksFromTo(from, to)}: ${format(most, 'B')}`}</text>
      <Axis side="bottom" edge={TOP - 3.5} scale={x} ticks={[]} line={[left, width - right]} />
      <path
        style={{ fill: 'var(--ramp-2)' }}
        d={byTime
          .map((value, i) => {
            if (value === 0) return ''
            const at = x((i * grid.to_s) / grid.columns)
            const next = x(((i + 1) * grid.to_s) / grid.columns)
            const h = Math.max(1.5, rise(value))
            return `M${at.toFixed(1)} ${(TOP - 4 - h).toFixed(1)}H${next.toFixed(1)}V${TOP - 4}H${at.toFixed(1)}Z`
          })
          .join('')}
      />
      <rect x={left} y={TOP} width={width - right - left} height={BODY} style={{ fill: 'var(--ramp-0)' }} />
      {shaded(grid, x, y).map((d, i) => (
        <path key={SHADES[i]} d={d} style={{ fill: SHADES[i] }} shapeRendering="crispEdges" />
      ))}
      <Axis side="left" edge={width - right + 3.5} scale={y} ticks={[]} line={[TOP, TOP + BODY]} />
      <path
        style={{ fill: 'var(--ramp-2)' }}
        d={byRow
          .map((value, i) => {
            if (value === 0) return ''
            const [first, last] = ranksOf(grid, i)
            const h = Math.max(1.5, y(last + 1) - y(first) - (grid.rows <= 24 ? 1 : 0))
            const w = Math.max(1.5, bars(value))
            return `M${width - right + 4} ${y(first).toFixed(1)}h${w.toFixed(1)}v${h.toFixed(1)}h${(-w).toFixed(1)}Z`
          })
          .join('')}
      />
      <Rows grid={grid} byRow={byRow} x={x} y={y} right={width} />
      <Axis
        side="left"
        edge={left}
        scale={(rank) => Math.min(TOP + BODY - 4, y(rank + 0.5))}
        ticks={named}
        name={{ words: 'rank', x: 0, y: TOP - 8 }}
      />
      <Axis
        side="bottom"
        edge={TOP + BODY}
        scale={x}
        ticks={secondTicks(x, width < 380 ? 3 : 5)}
        marks
        room={[0, width - right]}
        name={{ words: 'bytes', x: width - right + 6, y: TOP + BODY + 16 }}
      />
      <TimeCursor
        x={x}
        from_s={grid.after_s}
        to_s={grid.to_s}
        top={TOP - 34}
        bottom={TOP + BODY}
        right={width - right}
      />
    </>
  )
}

/** Over the rows: points at the ranks of one, and at the time, in every chart; outlines the ranks that are shown. */
function Rows({
  grid,
  byRow,
  x,
  y,
  right,
}: {
  grid: Grid
  byRow: readonly number[]
  x: ScaleLinear<number, number>
  y: (rank: number) => number
  right: number
}) {
  const { shown, point } = useShown()
  const left = x(0)
  const ranks = shown.filter((link) => link.kind === 'rank' && link.id < grid.nprocs)
  return (
    <>
      {ranks.map((link) => {
        const [first, last] = link.kind === 'rank' ? [link.id, link.last ?? link.id] : [0, 0]
        const tall = Math.max(2, y(Math.min(grid.nprocs, last + 1)) - y(first))
        return (
          <rect
            key={first}
            className={css.outlined}
            data-shown="rank"
            x={left}
            y={y(first)}
            width={right - left}
            height={tall}
          />
        )
      })}
      {byRow.map((moved, row) => {
        const [first, last] = ranksOf(grid, row)
        const link: Link = { kind: 'rank', id: first, last }
        const at = (event: React.PointerEvent<SVGRectElement>) => {
          const seconds = secondsAt(event, x)
          point(seconds === null ? [link] : [link, { kind: 'time', id: grid.after_s + seconds }])
        }
        return (
          <rect
            key={first}
            className={css.over}
            x={left}
            y={y(first)}
            width={right - left}
            height={Math.max(2, y(last + 1) - y(first))}
            onPointerMove={at}
            onPointerLeave={() => point([])}
          >
            <title>{`${ranksFromTo(first, last)}: ${format(moved, 'B')} moved`}</title>
          </rect>
        )
      })}
    </>
  )
}

/** The ranks that move most, and when most is moved, as names. */
function linksOf({ panels }: RankTime): MarkedLink[] {
  const [first] = panels
  if (!first) return []
  const byTime = both(first.read_by_time, first.written_by_time)
  const peak = byTime.indexOf(max(byTime) ?? 0)
  const from_s = (peak * first.to_s) / first.columns
  const busiest: MarkedLink = {
    name: `rank ${first.busiest_rank}, the busiest`,
    link: { kind: 'rank', id: first.busiest_rank },
  }
  const when: MarkedLink = {
    name: `${format(from_s, 's')}, when most is moved`,
    link: { kind: 'time', id: first.after_s + from_s },
  }
  // Of ranks that move as much as one another none is the busiest.
  const stands = first.busiest_rank_bytes * first.ranks_active > EVEN * bytesOf(first)
  return first.nprocs > 1 && (stands || first.ranks_active === 1) ? [busiest, when] : [when]
}

/** One path a shade: the cells of a row that follow one another in it are one rectangle, at least 2 px high. */
function shaded(grid: Grid, x: (s: number) => number, y: (rank: number) => number): string[] {
  const readLevels = unpack(grid.read_levels)
  const writeLevels = unpack(grid.written_levels)
  const paths: string[][] = SHADES.map(() => [])
  for (let row = 0; row < grid.rows; row++) {
    const [first, last] = ranksOf(grid, row)
    const top = y(first)
    const height = Math.max(2, y(last + 1) - top)
    let begun = 0
    let shade = -1
    for (let column = 0; column <= grid.columns; column++) {
      const at = row * grid.columns + column
      const next = column < grid.columns ? shadeOf(readLevels[at] ?? 0, writeLevels[at] ?? 0) : -1
      if (next === shade) continue
      if (shade >= 0) {
        const from = x((begun * grid.to_s) / grid.columns)
        const width = Math.max(1, x((column * grid.to_s) / grid.columns) - from)
        paths[shade]?.push(
          `M${from.toFixed(1)} ${top.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}Z`,
        )
      }
      begun = column
      shade = next
    }
  }
  return paths.map((parts) => parts.join(''))
}

/** Levels are roots: squares add up. −1 where nothing was moved. */
function shadeOf(read: number, written: number): number {
  if (read === 0 && written === 0) return -1
  const level = Math.min(1, Math.hypot(read, written) / 255)
  return Math.min(SHADES.length - 1, Math.floor(level * SHADES.length))
}

export const chart = defineChart<RankTime>({
  id: 'rank-time',
  order: 6,
  wide: true,
  question: 'Which ranks touched storage, and when?',
  read,
  sentence,
  caption: ({ panels }) => {
    const first = panels[0]
    if (!first) return ''
    const rows =
      first.nprocs > first.rows
        ? ` One row is about ${count(Math.round(first.nprocs / first.rows))} ranks; none is left out.`
        : ''
    const from = first.kind === 'HEATMAP' ? "Darshan's heatmap" : 'the calls of DXT'
    const step =
      first.after_s > 0
        ? ` Time from the start of its log, ${format(first.after_s, 's')} after the first.`
        : ''
    return `Bytes read and written, from ${from}; the stronger the shade, the more, up to ${panels.map((g) => `${format(g.largest_bytes, 'B')} in a cell at ${LAYER_NAMES[g.layer]}`).join(' and ')}. Above: in time; right: by rank.${step}${rows}`
  },
  table: ({ panels }) => ({
    head: ['layer and ranks', 'written', 'read'],
    rows: panels.flatMap((grid) =>
      grid.written_by_row.flatMap((written, row) => {
        const readBytes = grid.read_by_row[row] ?? 0
        const [first, last] = ranksOf(grid, row)
        const name = `${LAYER_NAMES[grid.layer]}, ${ranksFromTo(first, last)}`
        return written + readBytes === 0 ? [] : [[name, format(written, 'B'), format(readBytes, 'B')]]
      }),
    ),
  }),
  links: linksOf,
  closer: { to: '/cases/$caseId/timeline', words: 'open in the timeline' },
  Plot,
})
