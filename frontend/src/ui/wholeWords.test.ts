import { expect, test } from 'vitest'
import { partsOf } from './wholeWords'

test('paths, options and calls stay whole, and the parts are the line', () => {
  const line = '  lfs find /scratch1/glock/test-scratch1 --ost 14  # all  of 2.5_x'
  const parts = partsOf(line)
  expect(parts.map(({ text }) => text).join('')).toBe(line)
  expect(parts.filter(({ breaks }) => breaks).map(({ text }) => text)).toEqual([
    '/scratch1/glock/test-scratch1',
    '--ost',
  ])
  expect(parts[0]).toEqual({ text: '  lfs find ', breaks: false })
  expect(partsOf('')).toEqual([{ text: '', breaks: false }])
})
