import { pinsInAddress, pinsOf } from './selected/pinned'

/** What a person chose on the timeline, as the address carries it: `?show=bytes&t=12.5..30&ranks=0..63`. */
export interface TimelineSearch {
  /** The calls by rank, the offsets of one file, how much each call moves, or the bytes by rank; by default what there
   * is, in this order. */
  show?: 'calls' | 'offsets' | 'sizes' | 'bytes'
  /** Index of the source in the document, where several have times. */
  log?: string
  at?: 'POSIX' | 'MPIIO' | 'STDIO' | 'DFS' | 'DAOS' | 'both'
  /** Without it what the leading finding is about, else both. */
  op?: 'read' | 'write' | 'both'
  colour?: 'operation' | 'file' | 'ost'
  /** Darshan's id of the one file that is shown. */
  only?: string
  /** Index of the one OST whose calls are shown. */
  ost?: string
  /** Seconds from the start of the run, `from..to`. */
  t?: string
  /** Ranks, both included, `first..last`. */
  ranks?: string
  /** Offsets in bytes, `low..high`. */
  bytes?: string
  /** Sizes of calls as powers of two, `low..high`. */
  powers?: string
  /** What is selected: seconds `from..to`, and rows as `ranks`, `bytes` or `powers` has them. */
  sel?: string
  rowsel?: string
  /** Calls that are kept side by side: layer, rank and start of each. */
  pins?: string
  /** What a row of many ranks shows: their sum, instead of the busiest of them. */
  rows?: 'sum'
}

const RANGE = /^\d+(\.\d+)?\.\.\d+(\.\d+)?$/
const LAYERS = ['POSIX', 'MPIIO', 'STDIO', 'DFS', 'DAOS', 'both'] as const

const one = <T extends string>(raw: unknown, of: readonly T[]): T | undefined =>
  of.find((word) => word === raw)

/** Malformed values are dropped: an address never breaks the page. */
export function validateTimelineSearch(raw: Record<string, unknown>): TimelineSearch {
  const search: TimelineSearch = {}
  const show = one(raw.show, ['calls', 'offsets', 'sizes', 'bytes'])
  if (show) search.show = show
  const at = one(raw.at, LAYERS)
  if (at) search.at = at
  const op = one(raw.op, ['read', 'write', 'both'])
  if (op) search.op = op
  const colour = one(raw.colour, ['operation', 'file', 'ost'])
  if (colour) search.colour = colour
  if (raw.rows === 'sum') search.rows = 'sum'
  if (/^\d{1,4}$/.test(String(raw.log ?? ''))) search.log = String(raw.log)
  if (/^\d{1,20}$/.test(String(raw.only ?? ''))) search.only = String(raw.only)
  if (/^\d{1,9}$/.test(String(raw.ost ?? ''))) search.ost = String(raw.ost)
  for (const name of ['t', 'ranks', 'bytes', 'powers', 'sel', 'rowsel'] as const) {
    const range = raw[name]
    if (typeof range === 'string' && RANGE.test(range)) search[name] = range
  }
  const pins = pinsInAddress(pinsOf(typeof raw.pins === 'string' ? raw.pins : undefined))
  if (pins) search.pins = pins
  return search
}

/** The two ends of a range of the address; null where it is none, or empty. */
export function rangeOf(text: string | undefined): readonly [number, number] | null {
  const [low = Number.NaN, high = Number.NaN] = (text ?? '').split('..').map(Number)
  return Number.isFinite(low) && Number.isFinite(high) && low <= high ? [low, high] : null
}
