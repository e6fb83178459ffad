import { expect, it } from 'vitest'
import { baseName } from '../../format'
import { growthWords } from './growth'

const rewritten = {
  requested_written: 1000,
  stored_written: 1001,
  requested_read: 0,
  stored_read: 900,
  unrequested_read: 900,
  files_compared: 1,
  files: [],
  rmw_reported: null,
}

it('does not say that as many bytes are a multiple of what was asked', () => {
  expect(growthWords(rewritten)).toContain('B written: read-modify-write.')
  expect(growthWords({ ...rewritten, stored_written: 3000 })).toContain('(3 times what was asked)')
})

it('has a name for every path, the root of a container too', () => {
  expect(['/lus/out.h5', 'out.h5', '/', '/pool/', '', '/lus/a\u202egnp.exe'].map(baseName)).toEqual([
    'out.h5',
    'out.h5',
    '/',
    'pool',
    '',
    'a\\u202egnp.exe',
  ])
})
