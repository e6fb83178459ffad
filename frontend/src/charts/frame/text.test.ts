import { expect, it } from 'vitest'
import { fits, listed } from './text'

const PARTS = ['write 4 min 20 s', 'read 2 min 20 s', 'metadata 8.51 ms']

it('lists what has room, and says that there is more', () => {
  expect(listed(PARTS, 400)).toBe('write 4 min 20 s, read 2 min 20 s, metadata 8.51 ms')
  expect(listed(PARTS, 260)).toBe('write 4 min 20 s, read 2 min 20 s, …')
  expect(fits(listed(PARTS, 260), 260)).toBe(true)
  expect(listed(PARTS, 130)).toBe('write 4 min 20 s, …')
})
