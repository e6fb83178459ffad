import { useCallback, useMemo, useRef, useState } from 'react'
import { count, format } from '../format'
import { Notice } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import { useTheme } from '../ui/theme'
import type { Box, Least } from './box'
import { Legend } from './Legend'
import { type Mark, Plane } from './Plane'
import { PAINTS, resolved } from './palette'
import {
  type CallsAsked,
  type LogPlace,
  type Part,
  type TimelineView,
  type TraceSummary,
  timelineQuery,
} from './queries'
import { callInWords, OST_NOT_KNOWN } from './sentences'
import { callAt, cellAt, drawCalls, drawImage, imageOf, pixelOf, type Tile, tileOf } from './tiles'
import { type Size, useBox, useParts } from './usePart'

interface CallsPlaneProps {
  readonly place: LogPlace
  readonly asked: CallsAsked
  readonly nprocs: number
  readonly extent_s: number
  /** The bytes of the one file that are rows; null: rows are ranks. */
  readonly offsets: readonly [number, number] | null
  readonly summary: TraceSummary | undefined
  readonly fromAddress: Box | null
  readonly onRest: (box: Box, full: Box) => void
  readonly children: React.ReactNode
}

const FINEST_S = 2e-5
const HEIGHTS = { least: 180, most: 440, rank: 22 }
/** Pixels are never fainter than this: a call that took a moment is seen. */
const FAINTEST = 110

/** Files and OSTs that have a colour of their own. */
const CLASSES = 8

const isWhole = (view: TimelineView) => view.marks.kind === 'calls'

/** The calls of a trace by rank, or by offset of one file, over time. */
export function CallsPlane(props: CallsPlaneProps) {
  const { place, asked, nprocs, extent_s, offsets, summary, fromAddress, onRest } = props
  const theme = useTheme()
  const host = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size | null>(null)
  const [low, high] = offsets ?? [0, nprocs]
  const full = useMemo<Box>(() => ({ t0: 0, t1: extent_s, y0: low, y1: high }), [extent_s, low, high])
  const least = useMemo<Least>(() => ({ t: FINEST_S, y: offsets ? 64 : 1 }), [offsets])
  const { box, rested, move } = useBox(full, least, fromAddress, (at) => onRest(at, full))
  const query = (part: Part) =>
    offsets === null
      ? timelineQuery(place, asked, part, null)
      : timelineQuery(place, asked, { ...part, first_rank: 0, last_rank: nprocs - 1 }, [
          part.first_rank,
          part.last_rank + 1,
        ])
  const parts = useParts<TimelineView>(query, full, rested, size, isWhole)

  const whole = useMemo(() => parts.whole && tileOf(parts.whole), [parts.whole])
  const detail = useMemo(() => parts.detail && tileOf(parts.detail), [parts.detail])
  const tiles = useMemo(() => [whole, detail].filter((tile) => tile !== undefined), [whole, detail])
  const { colour } = asked
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tokens are other ones in another theme
  const colours = useMemo(() => resolved(host.current ?? document.body, PAINTS[colour]), [colour, theme])
  const images = useMemo(
    () =>
      new Map<Tile, HTMLCanvasElement>(
        tiles.flatMap((tile) =>
          tile.kind === 'pixels'
            ? [[tile, pictureOf(tile, colours)] satisfies [Tile, HTMLCanvasElement]]
            : [],
        ),
      ),
    [tiles, colours],
  )
  const byOffset = offsets !== null
  const paint = useCallback(
    (context: CanvasRenderingContext2D, at: Box, room: { width: number; height: number }) => {
      // What was fetched last lies on what is coarser.
      for (const tile of tiles) {
        const image = images.get(tile)
        if (tile.kind === 'calls')
          drawCalls(context, tile, at, room.width, room.height, colours, codesOf(tile, colour), byOffset)
        else if (image) drawImage(context, image, tile.box, at, room.width, room.height)
      }
    },
    [tiles, images, colours, colour, byOffset],
  )

  const paths = useMemo(
    () => new Map(summary?.files.map((file) => [file.record, file.path]) ?? []),
    [summary],
  )
  const pathOf = useCallback((record: string) => paths.get(record) ?? `record ${record}`, [paths])
  const names = useMemo(() => namesOf(colour, summary), [colour, summary])
  const tell = (t: number, y: number, reach: { t: number; y: number }): string | null => {
    for (const tile of tiles.toReversed()) {
      if (t < tile.box.t0 || t > tile.box.t1 || y < tile.box.y0 || y > tile.box.y1) continue
      if (tile.kind === 'calls') {
        const found = callAt(tile.calls, t, y, reach, byOffset)
        return found < 0 ? null : callInWords(tile.calls, found, pathOf)
      }
      return pixelInWords(tile, t, y, names, byOffset)
    }
    return null
  }

  const current = useRef(-1)
  const single = tiles.findLast((tile) => tile.kind === 'calls')
  const step = (by: 1 | -1): string | null => {
    if (single?.kind !== 'calls') return null
    const { calls } = single
    const inView = (i: number) =>
      (calls.end[i] ?? 0) >= box.t0 &&
      (calls.start[i] ?? 0) <= box.t1 &&
      (byOffset || ((calls.rank[i] ?? 0) >= Math.floor(box.y0) && (calls.rank[i] ?? 0) < box.y1))
    let next = current.current < 0 && by < 0 ? calls.count : current.current
    for (let tries = 0; tries < calls.count; tries++) {
      next = (next + by + calls.count) % calls.count
      if (inView(next)) {
        current.current = next
        return callInWords(calls, next, pathOf)
      }
    }
    return null
  }

  const marks: readonly Mark[] =
    (byOffset
      ? []
      : summary?.layers
          .find((layer) => layer.layer === (asked.layer === 'POSIX' ? 'POSIX' : 'MPIIO'))
          ?.phases.map(({ from_s, to_s, straggler }) => ({ from_s, to_s, late: straggler }))) ?? []
  const shown = tiles.at(-1)
  const choiceInWords = ofOsts(asked)
  return (
    <div ref={host}>
      <Plane
        label={byOffset ? 'Offsets over time' : 'Ranks over time'}
        box={box}
        full={full}
        height={byOffset ? HEIGHTS.most : heightOf(nprocs)}
        onMove={move}
        onSize={setSize}
        paint={paint}
        tell={tell}
        {...(single && { step })}
        down={
          byOffset
            ? { title: 'offset', name: (value) => format(value, 'B'), whole: false }
            : { title: 'rank', name: count, whole: true }
        }
        marks={marks}
      >
        {props.children}
      </Plane>
      <Legend colour={colour} names={names} operation={asked.operation} phases={marks.length > 0} />
      {choiceInWords !== '' && <p className="small muted">{choiceInWords}</p>}
      <p className="small muted" role="status">
        {parts.fetching
          ? 'Looking closer …'
          : shown
            ? tileInWords(shown, nprocs, size?.height ?? HEIGHTS.most)
            : ''}
      </p>
      {parts.error && (
        <QueryProblem query={{ error: parts.error, refetch: parts.refetch }} what="The calls" />
      )}
      {shown && countOf(shown) === 0 && !parts.fetching && (
        <Notice title="No calls are to be seen here">
          Nothing of what was chosen happened in this window. Show the whole run, or choose another file, OST
          or direction.
        </Notice>
      )}
    </div>
  )
}

/** Few ranks get broad rows, many share the room. */
export const heightOf = (nprocs: number): number =>
  Math.min(HEIGHTS.most, Math.max(HEIGHTS.least, nprocs * HEIGHTS.rank))

const countOf = (tile: Tile) => (tile.kind === 'calls' ? tile.calls.count : tile.count)

function codesOf(tile: Extract<Tile, { kind: 'calls' }>, colour: CallsAsked['colour']): ArrayLike<number> {
  const { calls } = tile
  return { operation: calls.write, layer: calls.layer, file: calls.file, ost: calls.ost }[colour]
}

function pictureOf(
  tile: Extract<Tile, { kind: 'pixels' }>,
  colours: readonly (readonly [number, number, number])[],
) {
  const last = colours.length - 1
  const paints = colours.map((colour) =>
    Uint32Array.from({ length: 256 }, (_, fill) =>
      fill === 0 ? 0 : pixelOf(colour, FAINTEST + Math.round((fill * (255 - FAINTEST)) / 255)),
    ),
  )
  return imageOf(
    tile.rows,
    tile.columns,
    (i) => paints[Math.min(tile.code[i] ?? 0, last)]?.[tile.fill[i] ?? 0] ?? 0,
  )
}

/** What is to be known of a choice of OSTs. */
function ofOsts({ colour, ost }: CallsAsked): string {
  const only = ost === null ? '' : `Only calls with bytes on OST ${ost} are shown, whole.`
  const first = colour === 'ost' ? 'A call on several OSTs has the colour of the first.' : ''
  return [only, first].filter(Boolean).join(' ')
}

/** What the colours stand for, in the order of their codes; the last may stand for all others. */
export function namesOf(colour: CallsAsked['colour'], summary: TraceSummary | undefined): readonly string[] {
  if (colour === 'operation') return ['read', 'write', 'read and write']
  if (colour === 'layer') return ['POSIX', 'MPI-IO without POSIX']
  const rest = (total: number) => (total > CLASSES ? [`${count(total - CLASSES)} others`] : [])
  if (colour === 'file')
    return [
      ...(summary?.files.slice(0, CLASSES).map((file) => file.path) ?? []),
      ...rest(summary?.files_total ?? 0),
    ]
  const osts = summary?.osts.slice(0, CLASSES).map((one) => `OST ${one.ost}`) ?? []
  const others = rest(summary?.osts_total ?? 0)
  const unknown = summary && summary.bytes_without_ost > 0 ? [OST_NOT_KNOWN] : []
  // Those that have no colour of their own share the last one.
  return [...osts, ...([...others, ...unknown].length > 0 ? [[...others, ...unknown].join(', ')] : [])]
}

function pixelInWords(
  tile: Extract<Tile, { kind: 'pixels' }>,
  t: number,
  y: number,
  names: readonly string[],
  byOffset: boolean,
): string | null {
  const cell = cellAt(tile, t, y)
  if (!cell) return null
  const index = cell.row * tile.columns + cell.column
  const fill = tile.fill[index] ?? 0
  if (fill === 0) return null
  const width = (tile.box.t1 - tile.box.t0) / tile.columns
  const from = tile.box.t0 + cell.column * width
  const tall = (tile.box.y1 - tile.box.y0) / tile.rows
  const [low, high] = [tile.box.y0 + cell.row * tall, tile.box.y0 + (cell.row + 1) * tall]
  const last = Math.max(Math.ceil(low), Math.ceil(high) - 1)
  const where = byOffset
    ? `offsets ${format(low, 'B')} to ${format(high, 'B')}`
    : last === Math.ceil(low) || tall <= 1
      ? `rank ${count(Math.floor(low + tall / 2))}`
      : `ranks ${count(Math.ceil(low))} to ${count(last)}`
  const what = names[Math.min(tile.code[index] ?? 0, names.length - 1)] ?? ''
  const busy = byOffset ? '' : `; the busiest rank is inside calls for ${format(fill / 255, 'share')} of it`
  return `${where}, ${from.toFixed(3)} s to ${(from + width).toFixed(3)} s: ${what}${busy}.`
}

function tileInWords(tile: Tile, nprocs: number, height: number): string {
  if (tile.kind === 'calls')
    return `Every call is drawn, ${count(tile.calls.count)} of them; those shorter than a pixel as one.`
  const rows = nprocs > height ? ` A row may be several ranks: none is left out.` : ''
  return `${count(tile.count)} calls, summed up to pixels, the paler the less of its time is spent in calls; closer, every call is drawn by itself.${rows}`
}
