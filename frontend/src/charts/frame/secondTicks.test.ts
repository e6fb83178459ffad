import { scaleLinear } from 'd3-scale'
import { describe, expect, it } from 'vitest'
import { secondTicks } from './secondTicks'

const words = (to: number) => secondTicks(scaleLinear([0, to], [0, 600]), 4).map((tick) => tick.words)

describe('ticks of seconds', () => {
  it('have the same decimals, and the unit once', () => {
    expect(words(1.5)).toEqual(['0\u202fs', '0.5', '1.0', '1.5'])
    expect(words(7200)).toEqual(['0\u202fs', '2,000', '4,000', '6,000'])
  })
  it('say milliseconds where seconds would be all zeros', () =>
    expect(words(0.004)).toEqual(['0\u202fs', '1\u202fms', '2\u202fms', '3\u202fms', '4\u202fms']))
})
