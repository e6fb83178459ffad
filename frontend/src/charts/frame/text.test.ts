import { expect, it } from 'vitest'
import { begun, clipped, clippedAll, fits, listed } from './text'

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
  expect(clipped('checkpoint_0001.h5', 70)).toBe('check…01.h5')
  expect(begun('checkpoint of the day', 70)).toBe('checkpoint…')
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
