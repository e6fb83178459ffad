import { expect, it } from 'vitest'
import { HEADS } from './columns'

it('bounds what one rank takes in several files by times of slowest ranks alone, and not by means', () => {
  const seconds = HEADS.filter(({ column }) => column.endsWith('_s'))
  expect(seconds.map(({ column }) => column)).toEqual(['time_s', 'mean_metadata_s'])
  for (const { title, together } of seconds)
    expect(/^at most/.test(together ?? '')).toBe(/slowest rank/.test(title))
})
