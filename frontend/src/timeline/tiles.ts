import type { Box } from './box'
import { type CallColumns, columnsOf } from './callColumns'
import { css, type Rgb } from './palette'
import type { Dimensions } from './plane/useCanvas'
import type { Down, HeatmapView, TimelineView } from './requests'
import { rowsOf, sizeRow } from './rows'
import { unpack } from './unpack'

/** A part of the plane with what is in it: single calls, or pixels by row and column. */
export type Tile =
  | { readonly kind: 'calls'; readonly box: Box; readonly calls: CallColumns }
  | {
      readonly kind: 'pixels'
      readonly box: Box
      readonly rows: number
      readonly columns: number
      /** 0: nothing; else how much, to 255. */
      readonly fill: ArrayLike<number>
      readonly code: ArrayLike<number>
      readonly count: number
    }

export function tileOf(view: TimelineView): Tile {
  const { marks } = view
  const box: Box = { t0: view.from_s, t1: view.to_s, ...rowsOfView(view) }
  if (marks.kind === 'calls') return { kind: 'calls', box, calls: columnsOf(marks) }
  const { fill, code, calls, ...shape } = marks
  return { ...shape, kind: 'pixels', box, fill: unpack(fill), code: unpack(code), count: calls }
}

function rowsOfView({ down, low, high, first_rank, last_rank }: TimelineView) {
  if (low === null || high === null) return { y0: first_rank, y1: last_rank + 1 }
  return down === 'size' ? { y0: sizeRow(high), y1: sizeRow(low) } : { y0: low, y1: high }
}

/** Bytes of a part by row and column; `busiest` is the sum where each row is one rank. */
export interface HeatTile {
  readonly box: Box
  readonly rows: number
  readonly columns: number
  readonly sums: Float64Array
  readonly busiest: Float64Array
  /** Ranks of each row: where there are more than rows, some have one more than others. */
  readonly ranks: Float64Array
}

export function heatTileOf(view: HeatmapView, operation: 'read' | 'write' | null): HeatTile {
  const size = view.rows * view.columns
  const sums = new Float64Array(size)
  const busiest = new Float64Array(size)
  for (const [way, moved] of [
    ['read', view.read],
    ['write', view.written],
  ] as const) {
    if (operation !== null && operation !== way) continue
    const sum = unpack(moved.sums)
    const most = moved.busiest ? unpack(moved.busiest) : sum
    for (let i = 0; i < size; i++) {
      sums[i] = (sums[i] ?? 0) + (sum[i] ?? 0)
      // Where one direction's busiest rank is not the other's, their sum is an upper bound; the larger is sure.
      busiest[i] = moved.busiest ? Math.max(busiest[i] ?? 0, most[i] ?? 0) : (sums[i] ?? 0)
    }
  }
  const box = { t0: view.from_s, t1: view.to_s, y0: view.first_rank, y1: view.last_rank + 1 }
  const first = (row: number) => Math.ceil((row * (box.y1 - box.y0)) / view.rows)
  const ranks = Float64Array.from({ length: view.rows }, (_, row) => first(row + 1) - first(row))
  return { box, rows: view.rows, columns: view.columns, sums, busiest, ranks }
}

/** Row and column of a point; null outside of the part. */
export function cellAt(
  { box, rows, columns }: Pick<HeatTile, 'box' | 'rows' | 'columns'>,
  t: number,
  y: number,
): { row: number; column: number } | null {
  const column = Math.floor(((t - box.t0) / (box.t1 - box.t0)) * columns)
  const row = Math.floor(((y - box.y0) / (box.y1 - box.y0)) * rows)
  return column >= 0 && column < columns && row >= 0 && row < rows ? { row, column } : null
}

/** A colour and its opacity (0 to 255) as a canvas keeps them. */
export const pixelOf = ([r, g, b]: Rgb, alpha: number): number =>
  ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0

/** The pixels as a picture; `paint` gives that of one, 0 for nothing. */
export function imageOf(rows: number, columns: number, paint: (index: number) => number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = columns
  canvas.height = rows
  const context = canvas.getContext('2d')
  if (!context) return canvas
  const image = context.createImageData(columns, rows)
  const pixels = new Uint32Array(image.data.buffer)
  for (let i = 0; i < pixels.length; i++) pixels[i] = paint(i)
  context.putImageData(image, 0, 0)
  return canvas
}

/** Draws the picture of a part, `of`, where it lies within the window. */
export function drawImage(
  context: CanvasRenderingContext2D,
  box: Box,
  { width, height }: Dimensions,
  image: HTMLCanvasElement,
  of: Box,
): void {
  const t0 = Math.max(of.t0, box.t0)
  const t1 = Math.min(of.t1, box.t1)
  const y0 = Math.max(of.y0, box.y0)
  const y1 = Math.min(of.y1, box.y1)
  if (t1 <= t0 || y1 <= y0) return
  const fromX = image.width / (of.t1 - of.t0)
  const fromY = image.height / (of.y1 - of.y0)
  const toX = width / (box.t1 - box.t0)
  const toY = height / (box.y1 - box.y0)
  // A bin has edges: only what is smaller than a pixel of the screen runs together.
  context.imageSmoothingEnabled = toX < fromX
  context.clearRect((t0 - box.t0) * toX, (y0 - box.y0) * toY, (t1 - t0) * toX, (y1 - y0) * toY)
  context.drawImage(
    image,
    (t0 - of.t0) * fromX,
    (y0 - of.y0) * fromY,
    (t1 - t0) * fromX,
    (y1 - y0) * fromY,
    (t0 - box.t0) * toX,
    (y0 - box.y0) * toY,
    (t1 - t0) * toX,
    (y1 - y0) * toY,
  )
}

/** The calls by their colour, so that a pen is changed once for each. */
export function byCode(code: ArrayLike<number>, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => i).sort((a, b) => (code[a] ?? 0) - (code[b] ?? 0))
}

interface DrawnCalls {
  readonly tile: Extract<Tile, { kind: 'calls' }>
  /** By the code of a call; the last is that of all higher ones. */
  readonly colours: readonly Rgb[]
  readonly code: ArrayLike<number>
  readonly order: Uint32Array
  readonly down: Down
}

/** Draws each call, a pixel wide and high at least, so that none disappears; in `order`. */
export function drawCalls(
  context: CanvasRenderingContext2D,
  box: Box,
  { width, height }: Dimensions,
  { tile, colours, code, order, down }: DrawnCalls,
): void {
  const { calls } = tile
  const toX = width / (box.t1 - box.t0)
  const toY = height / (box.y1 - box.y0)
  const gap = down !== 'rank' || toY < 6 ? 0 : 1
  const least = down === 'rank' ? 1 : down === 'offset' ? 2 : 3
  clearPart(context, tile.box, box, toX, toY)
  const paints = colours.map((colour) => css(colour, 0.85))
  let pen = -1
  for (const i of order) {
    const start = calls.start[i] ?? 0
    const end = calls.end[i] ?? 0
    const [low, high] = rowsOf(calls, i, down)
    if (end < box.t0 || start > box.t1 || high < box.y0 || low > box.y1) continue
    const own = Math.min(code[i] ?? 0, paints.length - 1)
    if (own !== pen) context.fillStyle = paints[own] ?? ''
    pen = own
    const top = (low - box.y0) * toY + gap
    context.fillRect(
      (start - box.t0) * toX,
      down === 'size' ? Math.min(height - least, Math.max(0, top - least / 2)) : top,
      Math.max(1, (end - start) * toX),
      Math.max(least, (high - low) * toY - 2 * gap),
    )
  }
}

function clearPart(context: CanvasRenderingContext2D, of: Box, box: Box, toX: number, toY: number): void {
  context.clearRect(
    (of.t0 - box.t0) * toX,
    (of.y0 - box.y0) * toY,
    (of.t1 - of.t0) * toX,
    (of.y1 - of.y0) * toY,
  )
}

/** The call nearest to a point, no further than some seconds and rows away; −1 where there is none. */
export function callAt(
  calls: CallColumns,
  t: number,
  y: number,
  reach: { t: number; y: number },
  down: Down,
): number {
  let best = -1
  let nearest = Number.POSITIVE_INFINITY
  for (let i = 0; i < calls.count; i++) {
    const [low, high] = rowsOf(calls, i, down)
    const away = Math.max(low - y, y - high, 0) / reach.y
    if (away > 1) continue
    const early = Math.max((calls.start[i] ?? 0) - t, t - (calls.end[i] ?? 0), 0) / reach.t
    if (early > 1 || away + early >= nearest) continue
    nearest = away + early
    best = i
  }
  return best
}
