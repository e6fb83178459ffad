import { count } from '../format'
import { type CallColumns, columnsOf } from '../timeline/callColumns'
import { ARRAYS, unpack } from '../timeline/unpack'
import type { components } from './schema'

type Schemas = components['schemas']
type Packed = Schemas['Packed']
type CallList = Schemas['CallList']
type HeatmapView = Schemas['HeatmapView']
type TimelineView = Schemas['TimelineView'] & { readonly calls_of_layer?: number }

/** What a page of one file holds of a trace: the calls of a layer, or, where they are fewer than its `total`, the longest
 * of every stretch of each rank; and bytes by rank and time. */
export interface EmbeddedTrace {
  readonly summary: Schemas['TraceSummary']
  readonly calls: readonly {
    readonly layer: 'POSIX' | 'MPIIO'
    readonly total: number
    readonly marks: CallList
  }[]
  readonly heatmaps: readonly HeatmapView[]
}

/** The file has not what is asked for, and says why. */
export class NotHeldError extends Error {
  constructor(
    readonly title: string,
    readonly detail: string,
  ) {
    super(title)
  }
}

type Asked = (name: string) => string | null

/** What a server would answer of the trace, and of a part of it; null where that is not in the file. */
export function traceAnswer(trace: EmbeddedTrace, what: string | undefined, asked: Asked): unknown {
  switch (what) {
    case 'timeline':
      return timelineOf(trace, asked)
    case 'selection':
      return selectionOf(trace, asked)
    case 'heatmap':
      return heatmapOf(trace, asked)
    default:
      return trace.summary
  }
}

const numberOf = (asked: Asked, name: string, otherwise: number) => Number(asked(name) ?? otherwise)
const ofLayer = ({ calls }: EmbeddedTrace, asked: Asked) =>
  calls.find((one) => one.layer === (asked('layer') ?? 'POSIX'))

/** The window says where rows are; the calls around it are drawn as well when it moves. */
function timelineOf(trace: EmbeddedTrace, asked: Asked): TimelineView | null {
  const found = ofLayer(trace, asked)
  if (!found) return null
  const { nprocs, extent_s } = trace.summary
  const down = asked('down')
  const bytes = down === 'offset' || down === 'size'
  return {
    from_s: numberOf(asked, 'from_s', 0),
    to_s: numberOf(asked, 'to_s', extent_s),
    first_rank: numberOf(asked, 'first_rank', 0),
    last_rank: numberOf(asked, 'last_rank', nprocs - 1),
    down: bytes ? down : 'rank',
    low: bytes ? numberOf(asked, 'low', 0) : null,
    high: bytes ? numberOf(asked, 'high', 0) : null,
    marks: only(found.marks, chosen(columnsOf(found.marks), asked)),
    ...(found.marks.calls < found.total && { calls_of_layer: found.total }),
  }
}

/** The calls of a direction, a file, and an OST on which they begin. */
function chosen(calls: CallColumns, asked: Asked): number[] {
  const [operation, file, ost] = [asked('operation'), asked('file'), asked('ost')]
  return Array.from({ length: calls.count }, (_, i) => i).filter(
    (i) =>
      (operation === null || calls.write[i] === (operation === 'write' ? 1 : 0)) &&
      (file === null || calls.records[calls.record[i] ?? -1] === file) &&
      (ost === null || calls.firstOst[i] === Number(ost)),
  )
}

const COLUMNS = [
  'rank',
  'operation',
  'layer',
  'record',
  'offset',
  'length',
  'start_s',
  'end_s',
  'file',
  'ost',
  'first_ost',
] as const satisfies readonly (keyof CallList)[]

function only(list: CallList, which: readonly number[]): CallList {
  if (which.length === list.calls) return list
  const cut = Object.fromEntries(
    COLUMNS.map((name) => {
      const values = unpack(list[name])
      return [
        name,
        pack(
          list[name].type,
          which.map((i) => values[i] ?? 0),
        ),
      ]
    }),
  )
  return { ...list, ...cut, calls: which.length }
}

function pack(type: Packed['type'], values: Iterable<number>): Packed {
  const bytes = new Uint8Array(ARRAYS[type].from(values).buffer)
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return { type, data: btoa(text) }
}

// Not d3-array's, which the first script of every page would have for it.
function sum(values: Iterable<number>): number {
  let all = 0
  for (const value of values) all += value
  return all
}

const MOST_LISTED = 10

/** What the calls that lie in a part add up to, as the server reckons it; of a file without all calls nothing does. */
function selectionOf(trace: EmbeddedTrace, asked: Asked): Schemas['SelectedCalls'] | null {
  const found = ofLayer(trace, asked)
  if (!found) return null
  if (found.marks.calls < found.total)
    throw new NotHeldError(
      'This file has a part of the calls',
      `It has ${count(found.marks.calls)} of ${count(found.total)}: what a selection adds up to is told on the server where the case was exported.`,
    )
  const calls = columnsOf(found.marks)
  const which = chosen(calls, asked).filter(inPart(calls, asked, trace.summary))
  const at = (column: ArrayLike<number>) => which.map((i) => column[i] ?? 0)
  const [start, end, length] = [at(calls.start), at(calls.end), at(calls.length)]
  const seconds = end.map((to, k) => to - (start[k] ?? 0))
  const written = which.filter((i) => calls.write[i] === 1)
  const bytesWritten = sum(written.map((i) => calls.length[i] ?? 0))
  const longest = seconds
    .map((s, k) => [s, which[k] ?? 0] as const)
    .sort((a, b) => b[0] - a[0])
    .slice(0, MOST_LISTED)
    .map(([, i]) => i)
    .sort((a, b) => a - b)
  return {
    layer: found.layer,
    reads: which.length - written.length,
    writes: written.length,
    bytes_read: sum(length) - bytesWritten,
    bytes_written: bytesWritten,
    ranks: new Set(at(calls.rank)).size,
    files: new Set(at(calls.record)).size,
    osts: null,
    bytes_without_ost: null,
    from_s: which.length > 0 ? start.reduce((a, b) => Math.min(a, b)) : null,
    to_s: which.length > 0 ? end.reduce((a, b) => Math.max(a, b)) : null,
    busy_s: busySeconds(start, end),
    in_calls_s: sum(seconds),
    call_s: timesOf(seconds),
    longest: only(found.marks, longest),
  }
}

/** Whether a call lies at least partly within the window that is asked for. */
function inPart(calls: CallColumns, asked: Asked, { nprocs, extent_s }: EmbeddedTrace['summary']) {
  const [from, to] = [numberOf(asked, 'from_s', 0), numberOf(asked, 'to_s', extent_s)]
  const [first, last] = [numberOf(asked, 'first_rank', 0), numberOf(asked, 'last_rank', nprocs - 1)]
  const [down, low, high] = [asked('down'), numberOf(asked, 'low', 0), numberOf(asked, 'high', 0)]
  return (i: number): boolean => {
    const [start, end, rank] = [calls.start[i] ?? 0, calls.end[i] ?? 0, calls.rank[i] ?? 0]
    if (start >= to || (end <= from && !(end === start && end >= from)) || rank < first || rank > last)
      return false
    const [offset, size] = [calls.offset[i] ?? 0, Math.max(1, calls.length[i] ?? 0)]
    if (down === 'offset') return offset >= 0 && offset < high && offset + size > low
    return down === 'size' ? size >= low && size < high : true
  }
}

/** Seconds in which at least one call runs; the calls stand in order of their start. */
function busySeconds(start: readonly number[], end: readonly number[]): number {
  let reached = Number.NEGATIVE_INFINITY
  let busy = 0
  start.forEach((from, k) => {
    const to = end[k] ?? from
    busy += Math.max(0, to - Math.max(from, reached))
    reached = Math.max(reached, to)
  })
  return busy
}

/** Each is the time of one of the calls: the smallest that so large a share of them does not exceed. */
function timesOf(seconds: readonly number[]): Schemas['CallTimes'] | null {
  if (seconds.length === 0) return null
  const sorted = [...seconds].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  return { least: at(0), median: at(0.5), p90: at(0.9), p99: at(0.99), most: at(1) }
}

/** The whole; of a selection, which is asked for as one row, the bins that it touches. */
function heatmapOf(trace: EmbeddedTrace, asked: Asked): HeatmapView | null {
  const view = trace.heatmaps.find((one) => one.layer === asked('layer'))
  if (!view || asked('rows') !== '1') return view ?? null
  if (view.rows < view.last_rank - view.first_rank + 1)
    throw new NotHeldError(
      'This file has several ranks in a row',
      'What a selection adds up to is told on the server where the case was exported.',
    )
  const wide = (view.to_s - view.from_s) / view.columns
  const first = Math.max(0, Math.floor((numberOf(asked, 'from_s', 0) - view.from_s) / wide))
  const end = Math.min(view.columns, Math.ceil((numberOf(asked, 'to_s', view.to_s) - view.from_s) / wide))
  const low = Math.max(0, numberOf(asked, 'first_rank', 0) - view.first_rank)
  const high = Math.min(view.rows, numberOf(asked, 'last_rank', view.last_rank) - view.first_rank + 1)
  return binsOf(view, { first, end: Math.max(first + 1, end), low, high: Math.max(low + 1, high) })
}

const BUSIEST = 20

/** The bins of some columns and rows, ends not included, where each row is one rank. */
function binsOf(
  view: HeatmapView,
  { first, end, low, high }: { first: number; end: number; low: number; high: number },
): HeatmapView {
  const wide = (view.to_s - view.from_s) / view.columns
  const [rows, columns] = [high - low, end - first]
  const cut = ({ sums }: HeatmapView['read']) => {
    const values = unpack(sums)
    const byTime = new Float64Array(columns)
    const byRow = new Float64Array(rows)
    const cells = Array.from({ length: rows * columns }, (_, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns]
      const value = values[(low + row) * view.columns + first + column] ?? 0
      byTime[column] = (byTime[column] ?? 0) + value
      byRow[row] = (byRow[row] ?? 0) + value
      return value
    })
    const moved = {
      sums: pack('float32', cells),
      busiest: null,
      by_time: pack('float64', byTime),
      by_row: pack('float64', byRow),
      total: sum(byRow),
    }
    return { moved, byTime, byRow }
  }
  const [read, written] = [cut(view.read), cut(view.written)]
  const most = (reads: Float64Array, writes: Float64Array) =>
    Array.from(reads, (value, i) => ({ i, read_bytes: value, written_bytes: writes[i] ?? 0 }))
      .filter((one) => one.read_bytes + one.written_bytes > 0)
      .sort((a, b) => b.read_bytes + b.written_bytes - a.read_bytes - a.written_bytes)
  const ranks = most(read.byRow, written.byRow)
  const from = view.from_s + first * wide
  return {
    ...view,
    from_s: from,
    to_s: view.from_s + end * wide,
    first_rank: view.first_rank + low,
    last_rank: view.first_rank + high - 1,
    rows,
    columns,
    read: read.moved,
    written: written.moved,
    ranks_active: ranks.length,
    busiest_ranks: ranks
      .slice(0, BUSIEST)
      .map(({ i, ...bytes }) => ({ rank: view.first_rank + low + i, ...bytes })),
    busiest_times: most(read.byTime, written.byTime)
      .slice(0, BUSIEST)
      .map(({ i, ...bytes }) => ({ from_s: from + i * wide, to_s: from + (i + 1) * wide, ...bytes })),
  }
}
