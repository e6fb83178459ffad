import { count, format, offsetWords } from '../format'
import type { CallColumns } from './callColumns'
import type { Down, Part } from './requests'

/** How far down it reaches, and how it is named. Sizes lie at −log₂ of their bytes: the largest at the top. */
export interface Rows {
  readonly down: Down
  readonly low: number
  readonly high: number
  readonly title: string
  /** What the keys move along. */
  readonly many: string
  readonly name: (value: number) => string
  /** Whether each value is a row of its own, as ranks are. */
  readonly whole: boolean
  /** The fewest rows that can be looked at. */
  readonly least: number
}

export const rankRows = (nprocs: number): Rows => ({
  down: 'rank',
  low: 0,
  high: nprocs,
  title: 'rank',
  many: 'ranks',
  name: count,
  whole: true,
  least: 1,
})

export const offsetRows = (low: number, high: number): Rows => ({
  down: 'offset',
  low,
  high: Math.max(high, low + 64),
  title: 'offset',
  many: 'offsets',
  name: (value) => format(value, 'B'),
  whole: false,
  least: 64,
})

export const sizeRows = (largest: number): Rows => ({
  down: 'size',
  low: -Math.max(1, Math.ceil(Math.log2(largest + 1))),
  high: 0,
  title: 'size',
  many: 'sizes',
  name: (value) => format(2 ** -value, 'B'),
  whole: false,
  least: 1,
})

/** "offsets 8.00 MiB to 9.00 MiB"; to the byte where three digits do not tell the two apart. */
export function offsetsFromTo(low: number, high: number): string {
  const [from, to] = [format(low, 'B'), format(high, 'B')]
  return from === to
    ? `offsets ${offsetWords(Math.floor(low))} to ${offsetWords(Math.ceil(high))}`
    : `offsets ${from} to ${to}`
}

export const sizeRow = (bytes: number): number => -Math.log2(Math.max(1, bytes))

/** Where a call lies down the plane: its rank, its bytes of the file, or its size. */
export function rowsOf(calls: CallColumns, i: number, down: Down): readonly [number, number] {
  if (down === 'rank') return [calls.rank[i] ?? 0, (calls.rank[i] ?? 0) + 1]
  const length = calls.length[i] ?? 0
  if (down === 'size') return [sizeRow(length), sizeRow(length)]
  const offset = calls.offset[i] ?? 0
  return [offset, offset + length]
}

/** The rows `first` up to `end`, not included, as the server is asked for them. */
function asked(
  down: Down,
  first: number,
  end: number,
): { readonly down: Down; readonly low: number; readonly high: number } | null {
  if (down === 'rank') return null
  if (down === 'offset') return { down, low: Math.floor(first), high: Math.ceil(end) }
  return { down, low: end >= 0 ? 0 : Math.round(2 ** -end), high: Math.round(2 ** -first) }
}

/** A part of the plane, whose rows may be no ranks, as ranks and rows apart. */
export function askedPart(part: Part, down: Down, nprocs: number) {
  const rows = asked(down, part.first_rank, part.last_rank + 1)
  return rows === null ? { part, rows } : { part: { ...part, first_rank: 0, last_rank: nprocs - 1 }, rows }
}

/** The values that an axis names. */
export function ticksOf(rows: Rows, from: number, to: number, plain: (about: number) => number[]): number[] {
  if (rows.down === 'rank') return plain(Math.min(6, to - from)).filter(Number.isInteger)
  if (rows.down === 'offset') return byteSteps(from, to)
  const step = to - from > 12 ? 5 : to - from > 5 ? 2 : 1
  const first = Math.ceil(from / step) * step
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, i) => first + i * step)
}

/** Offsets that are round in binary: a power of two apart, four to eight of them. */
function byteSteps(from: number, to: number): number[] {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2((to - from) / 8)))
  const first = Math.ceil(from / step)
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, i) => (first + i) * step)
}

const HEIGHTS = { least: 160, most: 720, rank: 22, around: 420 }

/** Few ranks get broad rows; more share what the window has beside the rest of the page. */
export function heightOf({ down }: Pick<Rows, 'down'>, nprocs: number, lanes: number): number {
  const window = Math.max(440, (globalThis.innerHeight || 900) - HEIGHTS.around)
  const most = Math.min(HEIGHTS.most, window) / lanes
  return Math.round(Math.max(HEIGHTS.least, down === 'rank' ? Math.min(most, nprocs * HEIGHTS.rank) : most))
}
