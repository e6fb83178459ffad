import { expect, it } from 'vitest'
import { begun, clipped, fits, listed } from './text'

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
