import { describe, expect, it } from 'vitest'
import { textWidth } from '../frame/text'
import { type Bar, numbersOn } from './numbersOn'

const bar = (x: number, tall: number, words: string): Bar => ({ x, wide: 10, tall, words })
const said = (bars: readonly Bar[], stripe: number | null = null) =>
  [...numbersOn(bars, stripe, [0, 358])].map(([{ words }]) => words)

describe('numbers on bars', () => {
  it('stand on the middle of their own', () => {
    const one = bar(100, 40, '1,024')
    expect(numbersOn([one], null, [0, 358]).get(one)).toBeCloseTo(105 - textWidth('1,024') / 2)
  })
  it('are left out where they would lie on a taller bar beside theirs', () => {
    expect(said([bar(100, 2, '98'), bar(111, 70, '121,858')])).toEqual(['121,858'])
    expect(said([bar(100, 2, '98'), bar(140, 70, '121,858')])).toEqual(['121,858', '98'])
  })
  it('are left out where they would read as one', () => {
    expect(said([bar(100, 2, '26'), bar(111, 2, '4')])).toEqual(['26'])
  })
  it('begin no farther left than the plot, where counts are named on the axis', () => {
    const one = bar(62, 40, '4,096')
    expect(numbersOn([one], null, [60, 358]).get(one)).toBe(60)
  })
  it('go aside of the line of the stripe, and stay in the drawing', () => {
    const one = bar(100, 40, '1,024')
    expect(numbersOn([one], 105, [0, 358]).get(one)).toBeGreaterThan(105)
    const last = bar(345, 40, '1,024')
    const from = numbersOn([last], 350, [0, 358]).get(last) ?? Number.NaN
    expect(from + textWidth('1,024')).toBeLessThan(350)
  })
})
