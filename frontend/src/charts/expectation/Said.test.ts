import { expect, it } from 'vitest'
import { textWidth } from '../frame/text'
import { LEFT } from './frame'
import { beside } from './Said'

const FRAME = { right: 178 }
const RATE = '7,663 MiB/s'

it.each(['left', 'right'] as const)(
  'keeps a rate off the axis where a narrow drawing has no room beside its mark: %s',
  (side) => {
    const { x, textAnchor } = beside(RATE, 100, FRAME, side)
    expect(textAnchor).toBe('start')
    expect(x).toBeGreaterThan(LEFT)
    expect(x + textWidth(RATE, 12)).toBeLessThanOrEqual(FRAME.right)
  },
)

it('stands on the side that is wanted where that has room, else on the other', () => {
  expect(beside(RATE, 160, FRAME, 'left').textAnchor).toBe('end')
  expect(beside(RATE, 160, FRAME, 'right').textAnchor).toBe('end')
  expect(beside(RATE, 60, FRAME, 'left').textAnchor).toBe('start')
})
