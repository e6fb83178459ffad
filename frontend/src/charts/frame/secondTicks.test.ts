import { scaleLinear } from 'd3-scale'
import { describe, expect, it } from 'vitest'
import { secondTicks } from './secondTicks'

const between = (from: number, to: number, about = 4) =>
  secondTicks(scaleLinear([from, to], [0, 600]), about).map((tick) => tick.words.replaceAll('\u202f', ' '))
const words = (to: number) => between(0, to)

describe('ticks of seconds', () => {
  it('have the same decimals, and the unit once', () => {
    expect(words(1.5)).toEqual(['0 s', '0.5', '1.0', '1.5'])
    expect(words(110)).toEqual(['0 s', '20', '40', '60', '80', '100'])
  })
  it('are minutes, hours or days of a long run, as a clock has them', () => {
    expect(words(240)).toEqual(['0 min', '1', '2', '3', '4'])
    expect(words(2500)).toEqual(['0 min', '15', '30'])
    expect(words(41_700)).toEqual(['0 h', '3', '6', '9'])
    expect(words(600_000)).toEqual(['0 h', '48', '96', '144'])
    expect(words(1e6)).toEqual(['0 d', '5', '10'])
    expect(words(40 * 86_400)).toEqual(['0 d', '10', '20', '30', '40'])
    expect(words(1e9)).toEqual(['0 d', '5,000', '10,000'])
  })
  it.each([
    [0, 7200, ['0', '30 min', '1 h', '1 h 30 min', '2 h']],
    [36_000, 39_600, ['10 h', '10 h 15 min', '10 h 30 min', '10 h 45 min', '11 h']],
    [3570, 3690, ['59 min 30 s', '1 h', '1 h 30 s', '1 h 1 min', '1 h 1 min 30 s']],
    [599, 604, ['10 min', '10 min 2 s', '10 min 4 s']],
    [601_200, 608_400, ['167 h', '167 h 30 min', '7 d', '7 d 30 min', '7 d 1 h']],
    [1_036_800, 1_080_000, ['12 d', '12 d 3 h', '12 d 6 h', '12 d 9 h', '12 d 12 h']],
    [110, 125, ['1 min 50 s', '1 min 55 s', '2 min', '2 min 5 s']],
  ])('say moments of a part, from %i s to %i s, as sentences do', (from, to, wanted) =>
    expect(between(from, to)).toEqual(wanted),
  )
  it('keep to minutes on an axis that has them', () =>
    expect(between(0, 139, 5)).toEqual(['0', '30 s', '1 min', '1 min 30 s', '2 min']))
  it('say milliseconds where seconds would be nearly all zeros', () => {
    expect(words(0.004)).toEqual(['0 s', '1 ms', '2 ms', '3 ms', '4 ms'])
    expect(words(0.018)).toEqual(['0 s', '5 ms', '10 ms', '15 ms'])
  })
  it.each([
    [3600, 3600.004, ['3,600.000 s', '3,600.001', '3,600.002', '3,600.003', '3,600.004']],
    [
      583_200,
      583_200.0001,
      [
        '583,200.00000 s',
        '583,200.00002',
        '583,200.00004',
        '583,200.00006',
        '583,200.00008',
        '583,200.00010',
      ],
    ],
    [12.3, 12.300_01, ['12.300000 s', '12.300002', '12.300004', '12.300006', '12.300008', '12.300010']],
    [0.02, 0.025, ['20 ms', '21 ms', '22 ms', '23 ms', '24 ms', '25 ms']],
  ])('say when it was of a moment from %f s on', (from, to, wanted) =>
    expect(between(from, to)).toEqual(wanted),
  )
})
