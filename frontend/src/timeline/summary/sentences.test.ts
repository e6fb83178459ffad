// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { namesOf } from '../CallsLane'
import type { CallColumns } from '../callColumns'
import type { HeatmapView, TraceSummary } from '../requests'
import { offsetRows } from '../rows'
import { rangeOf, validateTimelineSearch } from '../search'
import { callAt } from '../tiles'
import {
  bytesInWords,
  callInWords,
  ostsInWords,
  phasesInWords,
  selectionInWords,
  slowestInWords,
  span,
  whenInWords,
} from './sentences'
import { untilTheEnd } from './untilTheEnd'

type Layer = TraceSummary['layers'][number]
const rank = (rank: number, time_s: number) => ({
  rank,
  host: null,
  time_s,
  bytes_read: 0,
  bytes_written: 10,
  last_end_s: 9,
})
const phase = (last_rank: number, late_s: number, straggler: boolean) => ({
  from_s: 1,
  to_s: 2,
  ranks: 4,
  calls: 4,
  bytes: 40,
  last_rank,
  late_s,
  straggler,
})
const layer: Layer = {
  layer: 'MPIIO',
  calls: 12,
  partial: false,
  ranks: 4,
  bytes_read: 0,
  bytes_written: 120,
  largest_bytes: 10,
  first_start_s: 1,
  last_end_s: 9,
  slowest: [rank(3, 4), rank(0, 2)],
  median_time_s: 2,
  latest: rank(3, 4),
  phases: [phase(3, 0.5, true), phase(3, 0.2, true), phase(1, 0.01, false)],
  phases_total: 3,
  longest_idle: null,
}
const plain = (text: string) => text.replaceAll('\u202f', ' ')

const calls: CallColumns = {
  count: 2,
  rank: [0, 5],
  write: [1, 0],
  layer: [0, 1],
  record: [0, 0],
  offset: [4096, -1],
  length: [1_048_576, 10],
  start: [1, 2],
  end: [1.5, 2],
  file: [0, 0],
  ost: [0, 255],
  firstOst: [14, 4_294_967_295],
  records: ['7'],
}

/** 120 bytes written; of those that have an OST, OST 20 has all but 10. */
function onOsts(many: number, unknown: number): TraceSummary {
  const osts = Array.from({ length: many }, (_, i) => ({
    ost: 20 + i,
    bytes_read: 0,
    bytes_written: i === 0 ? 120 - unknown - (many > 1 ? 10 : 0) : i === 1 ? 10 : 0,
    alone_calls: 1,
    alone_bytes: 5,
    alone_s: 1,
  }))
  return {
    nprocs: 4,
    extent_s: 9,
    layers: [layer],
    heatmaps: [],
    files: [],
    files_total: 0,
    osts,
    osts_total: many,
    ost_layer: 'MPIIO',
    bytes_without_ost: unknown,
  }
}

describe('from when to when', () => {
  it('has the decimals that tell the two apart', () => {
    expect(plain(span(1, 9))).toBe('1.00 s to 9.00 s')
    expect(plain(span(0.103142, 0.103169, 'and'))).toBe('0.103142 and 0.103169 s')
    expect(plain(span(0.1031, 0.10475, 'and'))).toBe('0.1031 and 0.1047 s')
    expect(plain(span(130, 133))).toBe('2 min 10 s to 2 min 13 s')
    expect(plain(span(3600.25, 3600.75))).toBe('3600.25 to 3600.75 s')
    expect(plain(span(2, 2))).toBe('2.00 s to 2.00 s')
    expect(plain(span(0.0025, 0.002503))).toBe('0.0025000 to 0.0025030 s')
    expect(plain(span(583_200, 583_850))).toBe('162 h to 162 h 11 min')
  })
})

describe('the timeline in words', () => {
  it('says how long the longest pause is, beside from when to when', () => {
    const said = plain(whenInWords({ ...layer, longest_idle: { from_s: 2.14, to_s: 2.52 } }))
    expect(said).toContain('The longest pause lasts 0.38 s, from 2.14 s to 2.52 s.')
  })
  it('names the slowest rank beside the middle one', () => {
    expect(plain(slowestInWords(layer))).toBe(
      "Rank 3 is slowest: it spends 4.00 s in MPI-IO calls, 2 × the median rank's 2.00 s.",
    )
  })
  it('calls none slow where all take about as long', () => {
    const slowest = layer.slowest.map((one) => ({ ...one, time_s: 2.02 }))
    expect(plain(slowestInWords({ ...layer, slowest }))).toBe(
      'All ranks take about the same time in MPI-IO calls: rank 3, the longest, 2.02 s.',
    )
  })
  it('names the worst straggler, and who is last again and again', () => {
    expect(plain(phasesInWords(layer))).toBe(
      'In 3 phases at least half of the ranks are inside MPI-IO calls together; in 2 the last rank leaves late: at worst rank 3, 0.50 s after the middle one. Rank 3 is last in 2 of them.',
    )
  })
  it('says one call exactly, and what was not recorded of it', () => {
    const pathOf = () => '/scratch/out.dat'
    expect(plain(callInWords(calls, 0, pathOf))).toBe(
      'Rank 0: POSIX write of 1.00 MiB at offset 4,096 of out.dat, beginning on OST 14, from 1.0000 s for 0.50 s, 2.00 MiB/s.',
    )
    const far = { ...calls, offset: [12_582_912, 12_587_008] }
    expect(plain(callInWords(far, 0, pathOf))).toContain('at offset 12,582,912 of')
    expect(plain(callInWords(far, 1, pathOf))).toContain('at offset 12,587,008 of')
    const brief = { ...calls, start: new Float64Array([0.0025]), end: new Float64Array([0.002503]) }
    expect(plain(callInWords(brief, 0, pathOf))).toContain('from 0.0025000 s for 3.00 µs')
    expect(plain(callInWords(calls, 1, pathOf))).toContain(
      'at an offset that was not recorded of out.dat, from',
    )
  })
  it('says a selection of offsets to the byte where three digits do not tell its ends apart', () => {
    const rows = offsetRows(0, 2 ** 30)
    const selected = (y0: number, y1: number) => plain(selectionInWords({ t0: 0, t1: 1, y0, y1 }, rows))
    expect(selected(2 ** 23, 9 * 2 ** 20)).toMatch(/, offsets 8\.00 MiB to 9\.00 MiB$/)
    expect(selected(12_582_912.4, 12_587_007.2)).toMatch(/, offsets 12,582,912 to 12,587,008$/)
  })
  it('says after which second nothing is known of a trace that is not whole', () => {
    expect(plain(whenInWords({ ...layer, partial: true }))).toMatch(
      /^4 ranks made at least 12 MPI-IO calls .* The trace is not whole: after 9.00 s nothing is known, and before it calls may be missing\.$/,
    )
    expect(whenInWords(layer)).not.toContain('not whole')
  })
  it('finds the call under the pointer, and none far from any', () => {
    const reach = { t: 0.1, y: 0.5 }
    expect(callAt(calls, 1.55, 0.5, reach, 'rank')).toBe(0)
    expect(callAt(calls, 2, 5.5, reach, 'rank')).toBe(1)
    expect(callAt(calls, 1.8, 0.5, reach, 'rank')).toBe(-1)
  })
  it('names colours in the order of their codes', () => {
    expect(namesOf('operation', undefined)).toEqual(['read', 'write', 'read and write'])
    expect(namesOf('ost', onOsts(2, 0))).toEqual(['OST 20', 'OST 21'])
    expect(namesOf('ost', onOsts(2, 5))).toEqual(['OST 20', 'OST 21', 'OST not known'])
    expect(namesOf('ost', onOsts(12, 5)).slice(7)).toEqual(['OST 27', '4 others, OST not known'])
  })
  it('says which OSTs the bytes lie on, and of how many that is not known', () => {
    expect(plain(ostsInWords(onOsts(2, 20)))).toBe(
      'The bytes of the MPI-IO calls lie on 2 OSTs, 90 % of them on OST 20; of 20 B, 17 %, the OST is not known. POSIX calls were not traced: each MPI-IO call is taken for one piece, though with a file view it need not be.',
    )
    expect(ostsInWords(onOsts(0, 120))).toBe('')
    const slow = onOsts(3, 0)
    const osts = slow.osts.map((one, i) => ({ ...one, alone_s: i === 0 ? 6 : 1 }))
    expect(plain(ostsInWords({ ...slow, osts }))).toContain(
      'Calls on OST 20 alone take most time, 6.00 s; on the middle OST 1.00 s.',
    )
  })
})

describe('the address of a part', () => {
  it('keeps what it understands and drops the rest', () => {
    expect(
      validateTimelineSearch({
        t: '1.5..2',
        ranks: '0..3',
        op: 'delete',
        at: 'MPIIO',
        only: '12',
        ost: '7',
        bytes: 'x',
      }),
    ).toEqual({ t: '1.5..2', ranks: '0..3', at: 'MPIIO', only: '12', ost: '7' })
    expect(validateTimelineSearch({ ost: '-1', colour: 'ost' })).toEqual({ colour: 'ost' })
  })
  it('is a range only the right way round', () => {
    expect(rangeOf('2..1')).toBeNull()
    expect(rangeOf('1..2.5')).toEqual([1, 2.5])
    expect(rangeOf(undefined)).toBeNull()
  })
})

describe('who moves the bytes of a heatmap', () => {
  const view = (most: number) =>
    ({
      layer: 'DFS',
      from_s: 0,
      to_s: 1,
      read: { total: 0 },
      written: { total: 16_000 },
      ranks_active: 16,
      busiest_ranks: [{ rank: 3, read_bytes: 0, written_bytes: most }],
      busiest_times: [
        { from_s: 0.5, to_s: 1, read_bytes: 0, written_bytes: 12_000 },
        { from_s: 0, to_s: 0.5, read_bytes: 0, written_bytes: 4_000 },
      ],
    }) as unknown as HeatmapView
  const of = (most: number, whole = false) => bytesInWords(view(most), whole)
  it('says of all bins together no end beside that of the run, which may be before it', () => {
    expect(of(1_000)).toMatch(/^At DFS, from 0\ss to 1\.00\ss, 16 ranks/)
    expect(of(1_000, true)).toMatch(/^At DFS, in the whole run, 16 ranks/)
  })
  it('ends with the run where the last bin ends after it', () => {
    const told = untilTheEnd(view(1_000), 0.8)
    expect(bytesInWords(told)).toMatch(
      /^At DFS, from 0\ss to 0\.80\ss, .* busiest time is 0\.50\ss to 0\.80\ss with/,
    )
    expect(told.busiest_times.map(({ to_s }) => to_s)).toEqual([0.8, 0.5])
    expect(untilTheEnd(view(1_000), 2)).toEqual(view(1_000))
  })
  it('names nobody where all move the same', () => {
    expect(of(1_000)).toMatch(/16 ranks move 15\.6\sKiB, about 0\.98\sKiB each; /)
    expect(of(1_000)).not.toContain('most')
  })
  it('names the one with most where there is one', () => {
    expect(of(4_000)).toMatch(/rank 3 most, 25\s%; /)
  })
})
