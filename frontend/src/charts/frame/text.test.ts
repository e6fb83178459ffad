import { expect, it } from 'vitest'
import { begun, clipped, textWidth } from './text'

/** What Chromium sets them in, in Inter of 12 px. */
const SET = [
  ['rank 99999', 69],
  ['history.h5', 59],
  ['Who moves the bytes', 118],
] as const

it.each(SET)('takes %s for no narrower than it is set', (text, px) => {
  expect(textWidth(text, 12)).toBeGreaterThanOrEqual(px)
})

it.each(['x'.repeat(200), 'é'.repeat(60), 'W'.repeat(40), '計算結果のとても長い名前'.repeat(4)])(
  'cuts a name of wide letters to its room: %s',
  (name) => {
    for (const cut of [clipped, begun]) {
      const said = cut(name, 358, 12)
      expect(said).toContain('…')
      expect(textWidth(said, 12)).toBeLessThanOrEqual(358)
    }
  },
)

it('leaves of a name both ends, and of words the beginning', () => {
  expect(clipped('checkpoint_of_the_ocean.0042.nc', 100, 12)).toMatch(/^check.*…0?0?42\.nc$/)
  expect(begun('Ranks that effectively move the largest file', 100, 12)).toMatch(/^Ranks that.*…$/)
})
