import css from './marks.module.css'
import { textWidth } from './text'

/** A value on an axis and its label; no label where the words are empty. */
export interface Tick {
  readonly at: number
  readonly words: string
}

type Pixels = readonly [from: number, to: number]

interface AxisProps {
  /** The edge of the plot that it runs along. */
  readonly side: 'bottom' | 'left'
  /** Where that edge lies: its y at the bottom, its x on the left. */
  readonly edge: number
  /** From a tick's value to pixels along the axis. */
  readonly scale: (value: number) => number
  /** D3's, or what else is to be named along it. */
  readonly ticks: readonly Tick[]
  /** From where to where each tick draws a line across the plot; that of the origin is drawn as an axis. */
  readonly grid?: Pixels
  /** The value from which marks are measured; 0 by default. */
  readonly origin?: number
  /** From where to where the axis itself is drawn. */
  readonly line?: Pixels
  /** Short marks at the ticks, outside the plot. */
  readonly marks?: boolean
  /** Words below the plot stay between these. */
  readonly room?: Pixels
  /** The label of the axis, a quantity or its unit, and its place. */
  readonly name?: { readonly words: string; readonly x: number; readonly y: number; readonly end?: boolean }
}

const MARK = 4

/** The lines, ticks and words along one edge of a plot. */
export function Axis({
  side,
  edge,
  scale,
  ticks,
  grid,
  origin = 0,
  line,
  marks = false,
  room,
  name,
}: AxisProps) {
  return (
    <g>
      {(side === 'bottom' ? apart(ticks, scale, room) : apartDown(ticks, scale)).map(({ at, words }) => (
        <g key={at}>
          {grid && (
            <line className={at === origin ? css.axis : css.grid} {...across(side, scale(at), grid)} />
          )}
          {marks && <line className={css.axis} {...across(side, scale(at), outside(side, edge))} />}
          {words !== '' && (
            <text {...beside(side, scale(at), edge + (marks && side === 'bottom' ? 2 : 0), words, room)}>
              {words}
            </text>
          )}
        </g>
      ))}
      {line && <line className={css.axis} {...along(side, edge, line)} />}
      {name && (
        <text x={name.x} y={name.y} textAnchor={name.end ? 'end' : 'start'}>
          {name.words}
        </text>
      )}
    </g>
  )
}

/** The left edge of a plot with tick labels on its left: `least`, or farther in where the longest label needs more
 * room. */
export const roomLeft = (ticks: readonly Tick[], least: number): number =>
  Math.max(least, ...ticks.map(({ words }) => textWidth(words) + 8))

/** The least distance between two labels; closer together they would read as one. */
const BETWEEN = 4
/** From one line of words to the next, where they stand one below the other. */
const LINE = 12

/** Ticks of which every second, third … keeps its words, the most that stand apart. Lines stay. */
function apart(ticks: readonly Tick[], scale: (value: number) => number, room?: Pixels): readonly Tick[] {
  const halfOf = (tick: Tick) => textWidth(tick.words) / 2
  const centre = (tick: Tick) => middle(scale(tick.at), tick.words, room)
  // They may be given from either end.
  return everySo(
    ticks,
    (tick, next) => Math.abs(centre(next) - centre(tick)) >= halfOf(tick) + halfOf(next) + BETWEEN,
  )
}

const apartDown = (ticks: readonly Tick[], scale: (value: number) => number): readonly Tick[] =>
  everySo(ticks, (tick, next) => Math.abs(scale(next.at) - scale(tick.at)) >= LINE)

function everySo(ticks: readonly Tick[], stand: (tick: Tick, next: Tick) => boolean): readonly Tick[] {
  const worded = ticks.filter(({ words }) => words !== '')
  const allStand = (kept: readonly Tick[]) =>
    kept.every((tick, i) => {
      const next = kept[i + 1]
      return !next || stand(tick, next)
    })
  const every = (n: number) => worded.filter((_, i) => i % n === 0)
  const step = worded.findIndex((_, i) => allStand(every(i + 1))) + 1
  const kept = new Set(every(Math.max(1, step)))
  return ticks.map((tick) => (tick.words === '' || kept.has(tick) ? tick : { ...tick, words: '' }))
}

function middle(at: number, words: string, room?: Pixels): number {
  const half = textWidth(words) / 2
  return room ? Math.min(room[1] - half, Math.max(room[0] + half, at)) : at
}

const across = (side: AxisProps['side'], at: number, [from, to]: Pixels) =>
  side === 'bottom' ? { x1: at, x2: at, y1: from, y2: to } : { x1: from, x2: to, y1: at, y2: at }

const along = (side: AxisProps['side'], edge: number, [from, to]: Pixels) =>
  side === 'bottom' ? { x1: from, x2: to, y1: edge, y2: edge } : { x1: edge, x2: edge, y1: from, y2: to }

const outside = (side: AxisProps['side'], edge: number): Pixels =>
  side === 'bottom' ? [edge, edge + MARK] : [edge - MARK, edge]

function beside(side: AxisProps['side'], at: number, edge: number, words: string, room?: Pixels) {
  if (side === 'left') return { x: edge - 6, y: at + 4, textAnchor: 'end' as const }
  return { x: middle(at, words, room), y: edge + 14, textAnchor: 'middle' as const }
}
