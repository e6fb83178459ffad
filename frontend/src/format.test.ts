import { describe, expect, it } from 'vitest'
import {
  asSentence,
  count,
  duration,
  inWords,
  moment,
  plural,
  quantity,
  shownUnit,
  significant,
  spoken,
  THIN,
} from './format'

const shown = (value: number | string, unit: Parameters<typeof quantity>[1]) => {
  const { number, unit: name } = quantity(value, unit)
  return name ? `${number} ${name}` : number
}

describe('three significant digits', () => {
  it.each([
    [0, '0'],
    [1, '1.00'],
    [12.345, '12.3'],
    [999.4, '999'],
    [999.6, '1,000'],
    [57344, '57,344'],
    [12_345_678, '12.3 million'],
    [4_000_000_000, '4.00 billion'],
    [0.00123, '0.00123'],
    [0.0000123, '1.23 × 10^−5'],
    [-Math.PI, '-3.14'],
  ])('%d is %s', (value, text) => expect(significant(value)).toBe(text))
})

describe('bytes have binary prefixes and carry over at 1,024', () => {
  it.each([
    [0, '0 B'],
    [1, '1 B'],
    [1000, '1,000 B'],
    [1024, '1.00 KiB'],
    [1_048_575, '1.00 MiB'],
    [1_048_576, '1.00 MiB'],
    [150_323_855_360, '140 GiB'],
    [2 ** 60, '1.00 EiB'],
  ])('%d is %s', (value, text) => expect(shown(value, 'B')).toBe(text))

  it('keeps the exact number', () => {
    expect(quantity(150_323_855_360, 'B').exact).toBe('150,323,855,360 bytes')
    expect(quantity(1, 'B').exact).toBe('1 byte')
  })
})

describe('other units', () => {
  it.each([
    [1482.4, 's', '1,482 s'],
    [0.0415, 's', '41.5 ms'],
    [0.0000123, 's', '12.3 µs'],
    [0, 's', '0 s'],
    [0.198, 'share', '19.8 %'],
    [0.1, 'share', '10 %'],
    [1, 'share', '100 %'],
    [0.99996, 'share', '99.9 %'],
    [3.6, 'ratio', '3.60 ×'],
    [1, 'ranks', '1 rank'],
    [256, 'ranks', '256 ranks'],
    [1.04, 'ranks', '1.04 ranks'],
    ['shared', 'word', 'shared'],
  ] as const)('%s %s is %s', (value, unit, text) => expect(shown(value, unit)).toBe(text))

  it('tells shares from ratios by the name of the metric', () => {
    expect(shownUnit('1', 'posix.small_write_fraction')).toBe('share')
    expect(shownUnit('1', 'balance.slowest_rank_share')).toBe('share')
    expect(shownUnit('1', 'mpiio.write_amplification')).toBe('ratio')
    expect(shownUnit('1', 'hints.lock_mode shared-lock-mode-unsafe.mode')).toBe('ratio')
    expect(shownUnit('B', 'io.bytes_read')).toBe('B')
  })

  it('sets the unit apart by a thin space that does not break', () => {
    expect(spoken(2 ** 30, 'B')).toBe(`1.00${THIN}GiB`)
  })
})

describe('words', () => {
  it('says durations', () => {
    expect(duration(7500)).toBe(`2${THIN}h 05${THIN}min`)
    expect(duration(187)).toBe(`3${THIN}min 07${THIN}s`)
    expect(duration(41.2)).toBe(`41.2${THIN}s`)
    expect(duration(3599.7)).toBe(`1${THIN}h 00${THIN}min`)
  })
  it('counts', () => {
    expect(count(143360)).toBe('143,360')
    expect(plural(1, 'file')).toBe('1 file')
    expect(plural(7, 'file')).toBe('7 files')
    expect(inWords(2)).toBe('two')
    expect(inWords(54)).toBe('54')
  })
  it('makes sentences of clauses', () => {
    expect(asSentence('no MPI-IO statistics block found')).toBe('No MPI-IO statistics block found.')
    expect(asSentence('romio_cb_write is set.')).toBe('romio_cb_write is set.')
  })
  it('says days', () => {
    const now = new Date(2026, 10, 20, 12)
    expect(moment(new Date(2026, 10, 20, 9, 14).toISOString(), now)).toBe('today 09:14')
    expect(moment(new Date(2026, 10, 19, 9, 14).toISOString(), now)).toBe('yesterday 09:14')
    expect(moment(new Date(2026, 10, 16).toISOString(), now)).toBe('16 Nov')
    expect(moment(new Date(2025, 10, 16).toISOString(), now)).toBe('16 Nov 2025')
  })
})
