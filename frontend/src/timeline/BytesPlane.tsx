import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { useCallback, useMemo, useRef, useState } from 'react'
import { ranksFromTo } from '../charts/frame/words/ranksFromTo'
import { format, unbroken } from '../format'
import { Reserved } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import { Buttons } from './Buttons'
import type { Box, Least } from './box'
import legend from './Legend.module.css'
import css from './Plane.module.css'
import { RAMP, READ_RAMP, rampOf, useColours } from './palette'
import { Plane } from './plane/Plane'
import { heatmapQuery } from './queries'
import type { HeatLayer, HeatmapView, LogPlace, Operation } from './requests'
import { heightOf, rankRows } from './rows'
import { SelectedBytes } from './selected/SelectedBytes'
import { BusiestTables } from './summary/BusiestTables'
import said from './summary/Summary.module.css'
import { bytesInWords, span } from './summary/sentences'
import { untilTheEnd } from './summary/untilTheEnd'
import { cellAt, drawImage, type HeatTile, heatTileOf, imageOf, pixelOf } from './tiles'
import { type Size, useBox, useParts } from './usePart'

interface BytesPlaneProps {
  readonly place: LogPlace
  readonly layer: HeatLayer
  readonly operation: Operation | null
  /** Where a row stands for several ranks: their sum, or the busiest of them. */
  readonly rows: 'sum' | 'busiest'
  readonly nprocs: number
  readonly extent_s: number
  readonly fromAddress: Box | null
  readonly onRest: (box: Box, full: Box) => void
  readonly selection: Box | null
  readonly onSelect: (box: Box | null) => void
  readonly children: React.ReactNode
}

const LEAST: Least = { t: 1e-3, y: 1 }
const never = () => false
const secondsOf = (tile: HeatTile) => (tile.box.t1 - tile.box.t0) / tile.columns

/** Bytes by rank and time. Shades are bytes a second, so that they mean the same at every zoom. */
export function BytesPlane(props: BytesPlaneProps) {
  const { place, layer, operation, rows, nprocs, extent_s, fromAddress, onRest } = props
  const { selection, onSelect } = props
  const down = useMemo(() => rankRows(nprocs), [nprocs])
  const host = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size | null>(null)
  const full = useMemo<Box>(() => ({ t0: 0, t1: extent_s, y0: 0, y1: nprocs }), [extent_s, nprocs])
  const { box, rested, move } = useBox(full, LEAST, fromAddress, (at) => onRest(at, full))
  const parts = useParts<HeatmapView>((part) => heatmapQuery(place, layer, part), full, rested, size, never)
  const whole = useMemo(() => parts.whole && heatTileOf(parts.whole, operation), [parts.whole, operation])
  const detail = useMemo(() => parts.detail && heatTileOf(parts.detail, operation), [parts.detail, operation])
  const finest = detail ?? whole
  const top = useMemo(() => (finest ? largestRate(finest, rows) : 0), [finest, rows])

  const reads = operation === 'read' || (operation === null && parts.whole?.written.total === 0)
  const stops = useColours(host, reads ? READ_RAMP : RAMP)
  const ramp = useMemo(() => rampOf(stops).map((shade) => pixelOf(shade, 255)), [stops])
  const images = useMemo(
    () =>
      [whole, detail].flatMap((tile) => {
        if (!tile) return []
        const values = valuesOf(tile, rows)
        const scale = top > 0 ? 1 / (top * secondsOf(tile)) : 0
        const paint = (i: number) => {
          const value = values[i] ?? 0
          return value === 0 ? 0 : (ramp[Math.min(255, Math.ceil(Math.sqrt(value * scale) * 255))] ?? 0)
        }
        return [{ tile, image: imageOf(tile.rows, tile.columns, paint) }]
      }),
    [whole, detail, rows, top, ramp],
  )
  const paint = useCallback(
    (context: CanvasRenderingContext2D, at: Box, room: { width: number; height: number }) => {
      for (const { tile, image } of images) drawImage(context, at, room, image, tile.box)
    },
    [images],
  )
  const describe = (t: number, y: number): string | null => {
    for (const tile of [detail, whole]) {
      const cell = tile && cellAt(tile, t, y)
      if (tile && cell) return cellInWords(tile, cell, rows, extent_s)
    }
    return null
  }
  const margins = useMemo(() => finest && marginsOf(finest, box), [finest, box])
  const drawn = parts.detail ?? parts.whole
  const told = drawn && untilTheEnd(drawn, extent_s)
  const joined = nprocs > (size?.height ?? 440)
  return (
    <div ref={host}>
      {told && (
        <p className={said.sentence} role="status">
          {unbroken(bytesInWords(told, drawn === parts.whole))}
        </p>
      )}
      <Reserved waits={!drawn && !parts.error}>
        <Buttons box={box} full={full} onMove={move} onSelect={onSelect}>
          {props.children}
        </Buttons>
        <Plane
          label="Bytes by rank and time"
          box={box}
          full={full}
          height={heightOf(down, nprocs, 1)}
          onMove={move}
          onSize={setSize}
          paint={paint}
          describe={describe}
          selection={selection}
          onSelect={onSelect}
          down={down}
          above={(x, width) => margins && <Above margins={margins} x={x} width={width} />}
          beside={(y) => margins && <Beside margins={margins} y={y} />}
        />
        <p className={`${legend.ramp} ${reads ? legend.reads : ''}`}>
          <span>0</span>
          <i aria-hidden="true" />
          <span>
            {format(top, 'B/s')}{' '}
            {joined
              ? rows === 'sum'
                ? 'of the mean rank of a row'
                : 'of the busiest rank of a row'
              : 'of a rank'}
            ; half the way {format(top / 4, 'B/s')}
          </span>
        </p>
      </Reserved>
      {selection && (
        <SelectedBytes
          place={place}
          layer={layer}
          end_s={extent_s}
          selection={selection}
          onCloser={() => move(selection)}
          onClear={() => onSelect(null)}
        />
      )}
      {parts.error && (
        <QueryProblem query={{ error: parts.error, refetch: parts.refetch }} what="The heatmap" />
      )}
      {told && <BusiestTables view={told} />}
    </div>
  )
}

/** Bytes of a cell for one rank: the busiest of its row, or the mean, since some rows have one rank more than others. */
function valuesOf(tile: HeatTile, rows: 'sum' | 'busiest'): Float64Array {
  if (rows === 'busiest') return tile.busiest
  return tile.sums.map((sum, i) => sum / (tile.ranks[Math.floor(i / tile.columns)] ?? 1))
}

const largestRate = (tile: HeatTile, rows: 'sum' | 'busiest') =>
  (max(valuesOf(tile, rows)) ?? 0) / secondsOf(tile)

function cellInWords(
  tile: HeatTile,
  cell: { row: number; column: number },
  rows: 'sum' | 'busiest',
  end_s: number,
): string {
  const ranks = tile.box.y1 - tile.box.y0
  const first = tile.box.y0 + Math.ceil((cell.row * ranks) / tile.rows)
  const last = tile.box.y0 + Math.ceil(((cell.row + 1) * ranks) / tile.rows) - 1
  const from = tile.box.t0 + cell.column * secondsOf(tile)
  const i = cell.row * tile.columns + cell.column
  const who = ranksFromTo(first, last)
  const most =
    first === last || rows === 'sum' ? '' : `, ${format(tile.busiest[i] ?? 0, 'B')} of them by one rank`
  return `${who}, ${span(from, Math.min(from + secondsOf(tile), end_s))}: ${format(tile.sums[i] ?? 0, 'B')}${most}.`
}

interface Margins {
  readonly byTime: readonly { readonly from: number; readonly to: number; readonly rate: number }[]
  readonly byRow: readonly { readonly from: number; readonly to: number; readonly bytes: number }[]
}

/** Sums over what is in view, by column and by row. */
function marginsOf(tile: HeatTile, box: Box): Margins {
  const { columns, rows, sums } = tile
  const wide = secondsOf(tile)
  const tall = (tile.box.y1 - tile.box.y0) / rows
  const within = (low: number, high: number, from: number, to: number) => high > from && low < to
  const byTime = new Float64Array(columns)
  const byRow = new Float64Array(rows)
  const inTime = Array.from({ length: columns }, (_, i) => tile.box.t0 + i * wide)
  for (let row = 0; row < rows; row++) {
    const from = tile.box.y0 + row * tall
    if (!within(from, from + tall, box.y0, box.y1)) continue
    for (let column = 0; column < columns; column++) {
      const value = sums[row * columns + column] ?? 0
      const start = inTime[column] ?? 0
      if (value === 0 || !within(start, start + wide, box.t0, box.t1)) continue
      byTime[column] = (byTime[column] ?? 0) + value
      byRow[row] = (byRow[row] ?? 0) + value
    }
  }
  // Of the mean rank of a row: rows with one rank more would stand out as a comb.
  for (let row = 0; row < rows; row++) byRow[row] = (byRow[row] ?? 0) / (tile.ranks[row] || 1)
  const filled = (values: Float64Array) => [...values.keys()].filter((i) => (values[i] ?? 0) > 0)
  return {
    byTime: filled(byTime).map((i) => ({
      from: tile.box.t0 + i * wide,
      to: tile.box.t0 + (i + 1) * wide,
      rate: (byTime[i] ?? 0) / wide,
    })),
    byRow: filled(byRow).map((i) => ({
      from: tile.box.y0 + i * tall,
      to: tile.box.y0 + (i + 1) * tall,
      bytes: byRow[i] ?? 0,
    })),
  }
}

function Above({ margins, x, width }: { margins: Margins; x: (t: number) => number; width: number }) {
  const top = max(margins.byTime, (bin) => bin.rate) ?? 0
  const rise = scaleLinear([0, top || 1], [0, 26])
  const inside = (value: number) => Math.min(width, Math.max(0, value))
  return (
    <>
      <text x={0} y={2}>{`all ranks, peak ${format(top, 'B/s')}`}</text>
      <path
        className={css.margin}
        d={margins.byTime
          .map(({ from, to, rate }) => {
            const [a, b] = [inside(x(from)), inside(x(to))]
            return `M${a.toFixed(1)} 34V${(34 - Math.max(1.5, rise(rate))).toFixed(1)}H${Math.max(a + 1, b).toFixed(1)}V34Z`
          })
          .join('')}
      />
    </>
  )
}

function Beside({ margins, y }: { margins: Margins; y: (row: number) => number }) {
  const top = max(margins.byRow, (row) => row.bytes) ?? 0
  const long = scaleLinear([0, top || 1], [0, 60])
  return (
    <>
      <text x={0} y={-6}>{`to ${format(top, 'B')}`}</text>
      <path
        className={css.margin}
        d={margins.byRow
          .map(({ from, to, bytes }) => {
            const [a, b] = [Math.max(0, y(from)), y(to)]
            const gap = b - a > 6 ? 1 : 0
            return `M0 ${a.toFixed(1)}H${Math.max(1.5, long(bytes)).toFixed(1)}V${Math.max(a + 1, b - gap).toFixed(1)}H0Z`
          })
          .join('')}
      />
    </>
  )
}
