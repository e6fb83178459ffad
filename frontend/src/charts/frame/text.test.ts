import { expect, it } from 'vitest'
import { begun, clipped, clippedAll, fits, listed, textWidth } from './text'

/** What Chromium sets them in, in Inter of 12 px. */
const SET = [
  ['rank 99999', 69],
  ['history.h5', 59],
  ['Who moves the bytes', 118],
  ['GOOD_QUALITY_DUNCH', 143],
  ['W'.repeat(20), 240],
  ['ДАННЫЕ_ШТОРМА_ЖЮЩ.nc', 172],
  ['результаты_шторма_щщ.nc', 161],
  ['Ŵ-Æ-Œ →', 61],
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

const PARTS = ['write 4 min 20 s', 'read 2 min 20 s', 'metadata 8.51 ms']

it('lists what has room, and says that there is more', () => {
  expect(listed(PARTS, 400)).toBe('write 4 min 20 s, read 2 min 20 s, metadata 8.51 ms')
  expect(listed(PARTS, 260)).toBe('write 4 min 20 s, read 2 min 20 s, …')
  expect(fits(listed(PARTS, 260), 260)).toBe(true)
  expect(listed(PARTS, 130)).toBe('write 4 min 20 s, …')
})

it('cuts the first of a list where it has no room beside the sign for the others', () => {
  const words = ['MPI-IO beyond the calls to storage 35 min 59 s', 'metadata 50 ms']
  for (const room of [100, 180, 256, 290, 400]) {
    const said = listed(words, room)
    expect(fits(said, room)).toBe(true)
    expect(said).toMatch(/^MPI.*59 s(, …|, metadata 50 ms)$/)
  }
  expect(listed([words[0] ?? ''], 150)).toMatch(/^MPI[^,]*…[^,]*59 s$/)
})

it('cuts a name beside an emoji, wherever that stands, and never within one', () => {
  const name = 'run_\u{1f680}\u{1f30a}\u{1f680}\u{1f30a}\u{1f680}\u{1f30a}\u{1f680}\u{1f30a}.h5'
  for (let room = 20; room < 200; room += 3) {
    expect(clipped(name, room)).not.toMatch(/\p{Cs}/u)
    expect(begun(name, room)).not.toMatch(/\p{Cs}/u)
  }
  expect(clipped('checkpoint_0001.h5', 70)).toBe('check…1.h5')
  expect(begun('checkpoint of the day', 70)).toBe('checkpoin…')
})

it.each([
  [
    ['3 files such as 3981085427 (names obfuscated)', '12 files such as 2446001947 (names obfuscated)'],
    ['3 files such as 3981085427', '12 files such as 2446001947'],
  ],
  [
    ['restart files of the ocean model', 'history files of the ocean model'],
    ['restart', 'history'],
  ],
  [
    ['restart_of_the_ocean.####, 256 files', 'history_of_the_ocean.####, 256 files'],
    ['restart_of_the_ocean.####', 'history_of_the_ocean.####'],
  ],
  [
    ['restart_of_the_ocean; used by 48 ranks', 'history_of_the_ocean; used by 48 ranks'],
    ['restart_of_the_ocean', 'history_of_the_ocean'],
  ],
  [['one.h5'], ['one.h5']],
  [['checkpoint of the first part of the run'], ['checkpoint of …rt of the run']],
])('leaves out of names that are too long what they all end with: %s', (names, said) => {
  expect(clippedAll(names, 175)).toEqual(said)
})
