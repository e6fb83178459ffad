import { describe, expect, it } from 'vitest'
import { ARRAYS, unpack } from '../timeline/unpack'
import { type EmbeddedTrace, NotHeldError, traceAnswer } from './embeddedTrace'
import type { components } from './schema'

type Schemas = components['schemas']
type Type = keyof typeof ARRAYS

function pack(type: Type, values: readonly number[]): Schemas['Packed'] {
  const bytes = new Uint8Array(ARRAYS[type].from(values).buffer)
  return { type, data: btoa(String.fromCharCode(...bytes)) }
}

const UNKNOWN_OST = 4_294_967_295

/** Rank, direction, record, offset, length, start, end, first OST; in order of their start, as the server keeps them. */
const CALLS = [
  [0, 'w', 0, 0, 100, 0, 2, 3],
  [1, 'w', 0, 100, 100, 1, 3, 4],
  [0, 'r', 1, 0, 40, 4, 5, UNKNOWN_OST],
  [2, 'w', 1, 1000, 0, 6, 6, 3],
  [1, 'r', 0, 150, 50, 8, 9.5, 4],
] as const
const at = (column: number) => CALLS.map((call) => Number(call[column]))

const MARKS: Schemas['CallList'] = {
  kind: 'calls',
  calls: CALLS.length,
  records: ['a', 'b'],
  rank: pack('uint32', at(0)),
  operation: pack(
    'uint8',
    CALLS.map((call) => (call[1] === 'w' ? 1 : 0)),
  ),
  layer: pack('uint8', [0, 0, 0, 0, 0]),
  record: pack('uint32', at(2)),
  offset: pack('float64', at(3)),
  length: pack('float64', at(4)),
  start_s: pack('float64', at(5)),
  end_s: pack('float64', at(6)),
  file: pack('uint8', at(2)),
  ost: pack('uint8', [0, 1, 255, 0, 1]),
  first_ost: pack('uint32', at(7)),
}

const SUMMARY: Schemas['TraceSummary'] = {
  nprocs: 3,
  extent_s: 10,
  layers: [],
  heatmaps: [],
  files: [],
  files_total: 0,
  osts: [],
  osts_total: 0,
  ost_layer: 'POSIX',
  bytes_without_ost: 0,
}

const moved = (cells: readonly number[], rows: number): Schemas['HeatmapView']['read'] => {
  const columns = cells.length / rows
  const of = (length: number, which: (i: number) => number) =>
    Array.from({ length }, (_, k) => cells.reduce((all, value, i) => all + (which(i) === k ? value : 0), 0))
  return {
    sums: pack('float32', cells),
    busiest: null,
    by_time: pack(
      'float64',
      of(columns, (i) => i % columns),
    ),
    by_row: pack(
      'float64',
      of(rows, (i) => Math.floor(i / columns)),
    ),
    total: cells.reduce((a, b) => a + b, 0),
  }
}

/** Two ranks, four bins of 2.5 s. */
const HEATMAP: Schemas['HeatmapView'] = {
  layer: 'POSIX',
  kind: 'HEATMAP',
  from_s: 0,
  to_s: 10,
  first_rank: 0,
  last_rank: 1,
  rows: 2,
  columns: 4,
  read: moved([0, 0, 7, 0, 0, 0, 0, 0], 2),
  written: moved([1, 2, 0, 0, 0, 5, 3, 0], 2),
  ranks_active: 2,
  busiest_ranks: [],
  busiest_times: [],
}

const TRACE: EmbeddedTrace = {
  summary: SUMMARY,
  calls: [{ layer: 'POSIX', total: CALLS.length, marks: MARKS }],
  heatmaps: [HEATMAP],
}

const answer = <T>(what: string | undefined, asked: Readonly<Record<string, string>>, trace = TRACE): T =>
  traceAnswer(trace, what, (name) => asked[name] ?? null) as T
const startsOf = (marks: Schemas['CallList']) => [...unpack(marks.start_s)]

describe('a trace in a page of one file', () => {
  it.each([
    [{}, [0, 1, 4, 6, 8]],
    [{ operation: 'write' }, [0, 1, 6]],
    [{ operation: 'read', file: 'a' }, [8]],
    [{ ost: '3' }, [0, 6]],
  ])('has the calls that are asked for by %o', (asked, starts) => {
    const { marks, calls_of_layer, down } = answer<{
      marks: Schemas['CallList']
      calls_of_layer?: number
      down: string
    }>('timeline', asked)
    expect(startsOf(marks)).toEqual(starts)
    expect(marks.calls).toBe(starts.length)
    expect(calls_of_layer).toBeUndefined()
    expect(down).toBe('rank')
  })

  it.each([
    // A call counts where it lies partly within; one that only ends at the window's begin does not.
    [
      {},
      {
        reads: 2,
        writes: 3,
        bytes_read: 90,
        bytes_written: 200,
        ranks: 3,
        files: 2,
        busy_s: 5.5,
        in_calls_s: 6.5,
      },
    ],
    [
      { from_s: '2', to_s: '6' },
      { reads: 1, writes: 1, bytes_read: 40, bytes_written: 100, ranks: 2, busy_s: 3 },
    ],
    [
      { from_s: '6', to_s: '8' },
      { reads: 0, writes: 1, bytes_written: 0, ranks: 1, busy_s: 0, in_calls_s: 0 },
    ],
    [
      { first_rank: '1', last_rank: '1' },
      { reads: 1, writes: 1, bytes_read: 50, bytes_written: 100, ranks: 1 },
    ],
    [
      { down: 'offset', low: '50', high: '150' },
      { reads: 0, writes: 2, bytes_written: 200 },
    ],
    [
      { down: 'size', low: '40', high: '100' },
      { reads: 2, writes: 0, bytes_read: 90 },
    ],
    [{ from_s: '9.75' }, { reads: 0, writes: 0, ranks: 0, from_s: null, to_s: null, call_s: null }],
  ])('adds up the part %o', (asked, sums) => {
    expect(answer('selection', asked)).toMatchObject(sums)
  })

  it('says what the calls of a part took, each number being the time of one', () => {
    expect(answer('selection', {})).toMatchObject({
      call_s: { least: 0, median: 1.5, p90: 2, p99: 2, most: 2 },
      from_s: 0,
      to_s: 9.5,
      osts: null,
    })
  })

  it('adds up nothing where it has a part of the calls, and says how many there were', () => {
    const cut: EmbeddedTrace = { ...TRACE, calls: [{ layer: 'POSIX', total: 1200, marks: MARKS }] }
    expect(() => answer('selection', {}, cut)).toThrow(NotHeldError)
    expect(answer('timeline', {}, cut)).toMatchObject({ calls_of_layer: 1200 })
  })

  it('cuts a heatmap to the bins that a selection touches', () => {
    const cut = answer<Schemas['HeatmapView']>('heatmap', {
      layer: 'POSIX',
      rows: '1',
      from_s: '3',
      to_s: '7.5',
      first_rank: '1',
      last_rank: '1',
    })
    expect(cut).toMatchObject({ from_s: 2.5, to_s: 7.5, first_rank: 1, last_rank: 1, rows: 1, columns: 2 })
    expect([...unpack(cut.written.sums)]).toEqual([5, 3])
    expect(cut).toMatchObject({ read: { total: 0 }, written: { total: 8 }, ranks_active: 1 })
    expect(cut.busiest_times).toEqual([
      { from_s: 2.5, to_s: 5, read_bytes: 0, written_bytes: 5 },
      { from_s: 5, to_s: 7.5, read_bytes: 0, written_bytes: 3 },
    ])
  })

  it('has no answer of a layer that it does not hold', () => {
    expect([
      answer('timeline', { layer: 'MPIIO' }),
      answer('selection', { layer: 'MPIIO' }),
      answer('heatmap', { layer: 'STDIO' }),
    ]).toEqual([null, null, null])
    expect(answer(undefined, {})).toBe(SUMMARY)
  })
})
