import { describe, expect, it } from 'vitest'
import vectors from '../../backend/tests/vectors/words.json'
import type { Unit } from './api/types'
import {
  asSentence,
  bounded,
  clockWords,
  count,
  exactly,
  format,
  inWords,
  jobHours,
  moment,
  partOf,
  plural,
  quantity,
  ratioInColumn,
  THIN,
  unbroken,
} from './format'

interface Worded<Value> {
  value: Value
  unit: Unit
  words: string
}

/** The file that both the page and the server are held to. */
const {
  measured,
  exactly: given,
  ratio_in_column,
  job_hours,
  clock,
  bounded: withBounds,
} = vectors as {
  measured: Worded<number | string>[]
  exactly: Worded<number>[]
  ratio_in_column: { value: number; words: string }[]
  job_hours: { seconds: number; nprocs: number | null; nnodes: number | null; words: string | null }[]
  clock: { at: number | null; words: string | null }[]
  bounded: (Worded<number> & { before: string })[]
}

const plain = (text: string) => text.replaceAll(THIN, ' ')

describe('a measured figure has the words that Python gives it', () => {
  it.each(measured)('$unit: $value is $words', ({ value, unit, words }) =>
    expect(plain(format(value, unit))).toBe(words),
  )
})

describe('a figure has one bound, as Python says it', () => {
  it.each(withBounds)('$before$value is $words', ({ before, value, unit, words }) =>
    expect(bounded(before, plain(format(value, unit)))).toBe(words),
  )
})

describe('a given number has the words that Python gives it', () => {
  it.each(given)('$unit: $value is $words', ({ value, unit, words }) =>
    expect(plain(exactly(value, unit))).toBe(words),
  )
})

describe('a ratio in a column of them has the words that Python gives it', () => {
  it.each(ratio_in_column)('$value: $words', ({ value, words }) =>
    expect(plain(ratioInColumn(value))).toBe(words),
  )
})

describe('when a job began has the words that Python gives it', () => {
  it.each(clock)('$at: $words', ({ at, words }) => expect(clockWords(at)).toBe(words))
})

describe('what seconds of a job cost has the words that Python gives it', () => {
  it.each(job_hours)('$seconds s: $words', ({ seconds, nprocs, nnodes, words }) =>
    expect(jobHours(seconds, nprocs, nnodes)).toBe(words),
  )
})

describe('a part whose counts are known', () => {
  it.each([
    [1, 524_288, '1 of 524,288'],
    [3, 30_001, '3 of 30,001'],
    [3, 30_000, '0.01 %'],
    [0, 524_288, '0 %'],
    [524_287, 524_288, 'over 99 %'],
    [524_288, 524_288, '100 %'],
    [150, 12_345_678, '150 of 12.3 million'],
  ])('%d of %d is %s', (part, total, words) => expect(plain(partOf(part, total))).toBe(words))
})

describe('the exact value stands beside the words', () => {
  it.each([
    [150_323_855_360, 'B', '150,323,855,360 bytes'],
    [1, 'B', '1 byte'],
    [1482.4, 's', '1,482.4 seconds'],
    [699.0054230690002, 's', '699.005 seconds'],
    [110_827_779.75137137, 'B/s', '110,827,780 bytes per second'],
    [9_007_199_254_740_991, 'B', '9,007,199,254,740,991 bytes'],
    [0.07, 'share', '7 per cent'],
    [3.612, 'ratio', '3.612'],
    [1e21, '1', '1,000,000,000,000,000,000,000'],
    [1, 'ranks', '1 rank'],
    [1.0000004, 'ranks', '1 rank'],
    [0.9999999, 'B', '1 byte'],
    [0.9999999, 'share', '99.99999 per cent'],
    [1.0000001, 'share', '100.00001 per cent'],
  ] as const)('%d %s is %s', (value, unit, exact) => expect(quantity(value, unit).exact).toBe(exact))

  it('and the number apart from its unit', () => {
    expect(quantity(187, 's')).toMatchObject({ number: `3${THIN}min 7`, unit: 's' })
    expect(quantity(0.00001, 'share')).toMatchObject({ number: '< 0.01', unit: '%' })
  })
})

describe('words', () => {
  it('sets units apart by a thin space that does not break', () => {
    expect(format(2 ** 30, 'B')).toBe(`1.00${THIN}GiB`)
    expect(format(7500, 's')).toBe(`2${THIN}h 5${THIN}min`)
    expect(exactly(4 * 2 ** 20, 'B')).toBe(`4${THIN}MiB`)
  })
  it('counts', () => {
    expect(count(143360)).toBe('143,360')
    expect(plural(1, 'file')).toBe('1 file')
    expect(plural(7, 'file')).toBe('7 files')
    expect(plural(0.99999, 'rank')).toBe('1 rank')
    expect(inWords(2)).toBe('two')
    expect(inWords(54)).toBe('54')
  })
  it('makes sentences of clauses', () => {
    expect(asSentence('no MPI-IO statistics block found')).toBe('No MPI-IO statistics block found.')
    expect(asSentence('romio_cb_write is set.')).toBe('romio_cb_write is set.')
  })
  it('keeps a number and its units on one line', () => {
    expect(unbroken('That takes 9 min 51 s of 3 runs.')).toBe(
      'That takes 9\u00a0min\u00a051\u00a0s of 3 runs.',
    )
    expect(unbroken(`save ${format(219, 's')}`)).toBe('save 3\u00a0min\u00a039\u00a0s')
    expect(unbroken('lies on 1 OST of 48 OSTs')).toBe('lies on 1\u00a0OST of 48\u00a0OSTs')
    expect(unbroken('take 1 × the time')).toBe('take 1\u00a0× the time')
    expect(unbroken('waiting < 1 min, 40 µs for 512 B')).toBe(
      'waiting <\u00a01\u00a0min, 40\u00a0µs for 512\u00a0B',
    )
    expect(unbroken('64.0 GiB, 12 % in 2 hours')).toBe('64.0\u00a0GiB, 12\u00a0% in 2 hours')
  })
  it('says days', () => {
    const now = new Date(2026, 10, 20, 12)
    expect(moment(new Date(2026, 10, 20, 9, 14).toISOString(), now)).toBe('today 09:14')
    expect(moment(new Date(2026, 10, 19, 9, 14).toISOString(), now)).toBe('yesterday 09:14')
    expect(moment(new Date(2026, 10, 16).toISOString(), now)).toBe('16 Nov')
    expect(moment(new Date(2025, 10, 16).toISOString(), now)).toBe('16 Nov 2025')
  })
})
