import { scaleLinear } from 'd3-scale'
import { describe, expect, it } from 'vitest'
import { secondTicks } from './secondTicks'

const words = (to: number) => secondTicks(scaleLinear([0, to], [0, 600]), 4).map((tick) => tick.words)

describe('ticks of seconds', () => {
  it('have the same decimals, and the unit once', () => {
    expect(words(1.5)).toEqual(['0\u202fs', '0.5', '1.0', '1.5'])
    expect(words(240)).toEqual(['0\u202fs', '50', '100', '150', '200'])
  })
  it('are minutes or hours of a long run, as a clock has them', () => {
    expect(words(2500)).toEqual(['0\u202fmin', '15', '30'])
    expect(words(7200)).toEqual(['0\u202fmin', '30', '60', '90', '120'])
    expect(words(41_700)).toEqual(['0\u202fh', '3', '6', '9'])
    expect(words(1e6)).toEqual(['0\u202fh', '96', '192'])
  })
  it('say milliseconds where seconds would be all zeros', () =>
    expect(words(0.004)).toEqual(['0\u202fs', '1\u202fms', '2\u202fms', '3\u202fms', '4\u202fms']))
  it.each([
    [3600, 3600.004, ['3,600.000\u202fs', '3,600.001', '3,600.002', '3,600.003', '3,600.004']],
    [
      583_200,
      583_200.0001,
      [
        '583,200.00000\u202fs',
        '583,200.00002',
        '583,200.00004',
        '583,200.00006',
        '583,200.00008',
        '583,200.00010',
      ],
    ],
    [12.3, 12.300_01, ['12.300000\u202fs', '12.300002', '12.300004', '12.300006', '12.300008', '12.300010']],
    [0.02, 0.025, ['20\u202fms', '21\u202fms', '22\u202fms', '23\u202fms', '24\u202fms', '25\u202fms']],
  ])('say when it was of a moment from %f s on', (from, to, wanted) => {
    const ticks = secondTicks(scaleLinear([from, to], [0, 600]), 4)
    expect(ticks.map((tick) => tick.words)).toEqual(wanted)
  })
})
