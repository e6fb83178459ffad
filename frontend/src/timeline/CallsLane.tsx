import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { LAYER_NAMES } from '../charts/frame/words/layerNames'
import { ranksFromTo } from '../charts/frame/words/ranksFromTo'
import { count, format } from '../format'
import { Notice } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import type { Box } from './box'
import type { CallColumns } from './callColumns'
import css from './Plane.module.css'
import { PAINTS, useColours } from './palette'
import type { Mark } from './plane/Axes'
import { Plane } from './plane/Plane'
import { timelineQuery } from './queries'
import type { CallsRequest, LogPlace, Part, TimelineView, TraceSummary } from './requests'
import { askedPart, offsetsFromTo, type Rows } from './rows'
import { callInWords, OST_NOT_KNOWN, span } from './summary/sentences'
import { byCode, callAt, cellAt, drawCalls, drawImage, imageOf, pixelOf, type Tile, tileOf } from './tiles'
import { type Size, useParts } from './usePart'
import { type Place, useSteps } from './useSteps'

interface CallsLaneProps {
  readonly place: LogPlace
  readonly asked: CallsRequest
  readonly nprocs: number
  readonly rows: Rows
  readonly summary: TraceSummary | undefined
  readonly full: Box
  readonly box: Box
  readonly rested: Box
  readonly onMove: (box: Box) => void
  readonly selection: Box | null
  readonly onSelect: (box: Box | null) => void
  readonly onPin: (calls: CallColumns, i: number) => void
  /** The whole run of this lane, once it is there. */
  readonly onWhole: (tile: Tile) => void
  readonly height: number
  /** Whether it stands among others, and so has its name above. */
  readonly named: boolean
  readonly helps: boolean
}

/** Pixels are never fainter than this: a call that took a moment is seen. */
const FAINTEST = 110

/** Files and OSTs that have a colour of their own. */
const CLASSES = 8

const isWhole = (view: TimelineView) => view.marks.kind === 'calls'

/** The calls of one layer by rank, offset of one file, or size, over time. */
export function CallsLane(props: CallsLaneProps) {
  const { asked, nprocs, rows, summary, full, box, onMove, height } = props
  const { down } = rows
  const host = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size | null>(null)
  const { parts, tiles } = useTiles(props, size)
  const paint = useLanePaint(host, tiles, asked.colour, down)
  const { describe, ofCalls } = useLaneWords(props, tiles)

  const layer = summary?.layers.find((one) => one.layer === asked.layer)
  const shown = tiles.at(-1)
  const name = LAYER_NAMES[asked.layer]
  return (
    <div ref={host}>
      {props.named && <h3 className={css.lane}>{name}</h3>}
      <Plane
        label={`${LABELS[down]} over time${props.named ? ` at ${name}` : ''}`}
        box={box}
        full={full}
        height={height}
        onMove={onMove}
        onSize={setSize}
        paint={paint}
        describe={describe}
        {...ofCalls}
        selection={props.selection}
        onSelect={props.onSelect}
        down={rows}
        knownTo={layer?.partial ? layer.last_end_s : null}
        marks={down === 'rank' ? phasesOf(layer) : []}
        helps={props.helps}
      >
        <p className={`small muted ${css.seen}`} role="status">
          {parts.fetching
            ? 'Looking closer …'
            : shown
              ? tileInWords(shown, parts.whole?.calls_of_layer, asked, nprocs, height, rows)
              : ''}
        </p>
      </Plane>
      {parts.error && (
        <QueryProblem query={{ error: parts.error, refetch: parts.refetch }} what="The calls" />
      )}
      {shown && countOf(shown) === 0 && !parts.fetching && (
        <Notice title={`No ${name} calls are to be seen here`}>
          Nothing of what was chosen happened in this window. Show the whole run, or choose another file, OST
          or direction.
        </Notice>
      )}
    </div>
  )
}

/** What is fetched for this window: the whole run, and on it what lies closer. */
function useTiles({ place, asked, nprocs, rows, full, rested, onWhole }: CallsLaneProps, size: Size | null) {
  const query = (wanted: Part) => {
    const { part, rows: bytes } = askedPart(wanted, rows.down, nprocs)
    return timelineQuery(place, asked, part, bytes)
  }
  const parts = useParts<TimelineView>(query, full, rested, size, isWhole)
  const whole = useMemo(() => parts.whole && tileOf(parts.whole), [parts.whole])
  const detail = useMemo(() => parts.detail && tileOf(parts.detail), [parts.detail])
  const tiles = useMemo(() => [whole, detail].filter((tile) => tile !== undefined), [whole, detail])
  const tellWhole = useRef(onWhole)
  tellWhole.current = onWhole
  useEffect(() => {
    if (whole) tellWhole.current(whole)
  }, [whole])
  return { parts, tiles }
}

/** How the tiles are painted, for every frame. */
function useLanePaint(
  host: RefObject<HTMLDivElement | null>,
  tiles: readonly Tile[],
  colour: CallsRequest['colour'],
  down: Rows['down'],
) {
  const colours = useColours(host, PAINTS[colour])
  const pictures = useMemo(
    () => new Map(tiles.map((tile) => [tile, pictureOf(tile, colours, colour)] as const)),
    [tiles, colours, colour],
  )
  return useCallback(
    (context: CanvasRenderingContext2D, at: Box, room: Size) => {
      // What was fetched last lies on what is coarser.
      for (const [tile, picture] of pictures) {
        if (tile.kind === 'calls' && picture.kind === 'order') {
          drawCalls(context, at, room, { ...picture, tile, colours, down })
        } else if (picture.kind === 'image') drawImage(context, at, room, picture.image, tile.box)
      }
    },
    [pictures, colours, down],
  )
}

/** What is said of a place, and of the calls that are stepped through. */
function useLaneWords({ asked, rows, summary, box, onPin }: CallsLaneProps, tiles: readonly Tile[]) {
  const { down } = rows
  const paths = useMemo(
    () => new Map(summary?.files.map((file) => [file.record, file.path]) ?? []),
    [summary],
  )
  const pathOf = useCallback((record: string) => paths.get(record) ?? `record ${record}`, [paths])
  const names = useMemo(() => namesOf(asked.colour, summary), [asked.colour, summary])
  const describe = (t: number, y: number, reach: Place['reach']): string | null => {
    for (const tile of tiles.toReversed()) {
      if (t < tile.box.t0 || t > tile.box.t1 || y < tile.box.y0 || y > tile.box.y1) continue
      if (tile.kind === 'calls') {
        const found = callAt(tile.calls, t, y, reach, down)
        return found < 0 ? null : callInWords(tile.calls, found, pathOf)
      }
      return pixelInWords(tile, t, y, names, rows)
    }
    return null
  }

  const single = tiles.findLast((tile) => tile.kind === 'calls')?.calls
  const { step, pick } = useSteps(single, box, down)
  const ofCalls = single && {
    step: (by: 1 | -1) => {
      const found = step(by)
      return found === null ? null : callInWords(single, found, pathOf)
    },
    onPin: (place: Place | null) => {
      const found = pick(place)
      if (found !== null) onPin(single, found)
    },
  }

  return { describe, ofCalls }
}

const phasesOf = (layer: TraceSummary['layers'][number] | undefined): readonly Mark[] =>
  layer?.phases.map(({ from_s, to_s, straggler }) => ({ from_s, to_s, late: straggler })) ?? []

const LABELS = { rank: 'Ranks', offset: 'Offsets', size: 'Transfer sizes' } as const

const countOf = (tile: Tile) => (tile.kind === 'calls' ? tile.calls.count : tile.count)

type Picture =
  | { readonly kind: 'order'; readonly code: ArrayLike<number>; readonly order: Uint32Array }
  | { readonly kind: 'image'; readonly image: HTMLCanvasElement }

/** What of a tile is worked out once for all frames. */
function pictureOf(
  tile: Tile,
  colours: readonly (readonly [number, number, number])[],
  colour: CallsRequest['colour'],
): Picture {
  if (tile.kind === 'calls') {
    const { calls } = tile
    const code = { operation: calls.write, file: calls.file, ost: calls.ost }[colour]
    return { kind: 'order', code, order: byCode(code, calls.count) }
  }
  const last = colours.length - 1
  const paints = colours.map((colour) =>
    Uint32Array.from({ length: 256 }, (_, fill) =>
      fill === 0 ? 0 : pixelOf(colour, FAINTEST + Math.round((fill * (255 - FAINTEST)) / 255)),
    ),
  )
  const image = imageOf(
    tile.rows,
    tile.columns,
    (i) => paints[Math.min(tile.code[i] ?? 0, last)]?.[tile.fill[i] ?? 0] ?? 0,
  )
  return { kind: 'image', image }
}

/** What the colours stand for, in the order of their codes; the last may stand for all others. */
export function namesOf(
  colour: CallsRequest['colour'],
  summary: TraceSummary | undefined,
): readonly string[] {
  if (colour === 'operation') return ['read', 'write', 'read and write']
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
  rows: Rows,
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
  const what = names[Math.min(tile.code[index] ?? 0, names.length - 1)] ?? ''
  const busy =
    rows.down === 'rank' ? `; the busiest rank is inside calls for ${format(fill / 255, 'share')} of it` : ''
  return `${rowInWords(low, high, rows)}, ${span(from, from + width)}: ${what}${busy}.`
}

function rowInWords(low: number, high: number, { down, name }: Rows): string {
  if (down === 'offset') return offsetsFromTo(low, high)
  if (down === 'size') return `calls of ${name(high)} to ${name(low)}`
  const last = Math.max(Math.ceil(low), Math.ceil(high) - 1)
  const only = Math.floor((low + high) / 2)
  return high - low <= 1 ? ranksFromTo(only, only) : ranksFromTo(Math.ceil(low), last)
}

function tileInWords(
  tile: Tile,
  ofLayer: number | undefined,
  { operation }: CallsRequest,
  nprocs: number,
  height: number,
  { down }: Rows,
): string {
  if (tile.kind === 'calls' && ofLayer !== undefined)
    return `Of the layer's ${count(ofLayer)} calls this file has the longest read and write of every stretch of each rank: ${count(tile.calls.count)} are drawn, and others are missing between them.`
  const one = operation ?? 'call'
  if (tile.kind === 'calls')
    return tile.calls.count === 1
      ? `The only ${one} is drawn, at least a pixel wide.`
      : `Every ${one} is drawn, ${count(tile.calls.count)} of them, each at least a pixel wide.`
  const rows = down === 'rank' && nprocs > height ? ` A row may be several ranks: none is left out.` : ''
  const paler = down === 'rank' ? 'the less of its time is spent in calls' : 'the fewer the calls'
  return `${count(tile.count)} ${one}s, summed up to pixels, the paler ${paler}; closer, every ${one} is drawn by itself.${rows}`
}
