import { expect, test } from 'vitest'
import { inWords } from '../../portrait/Portrait'
import { ageOf, waitsLong } from '../age'
import { speedupWords } from '../speedupWords'
import { askedOf, validateQueueSearch } from './search'

test('without a choice the queue has what is open, the most urgent first', () => {
  expect(askedOf({})).toEqual({
    status: ['new', 'in work', 'waiting', 'answered'],
    severity: [],
    sort: 'urgency',
  })
})

test('what the address says is what the server is asked for', () => {
  const search = validateQueueSearch({
    q: 'history.h5',
    severity: 'low,high',
    status: 'all',
    owner: 'nobody',
    user: 'user0417',
    older: '48',
    sort: 'lost',
  })
  expect(askedOf(search)).toEqual({
    status: [],
    severity: ['high', 'low'],
    sort: 'lost',
    user: 'user0417',
    words: 'history.h5',
    unowned: true,
    older_than_h: 48,
  })
})

test('an address that means nothing breaks nothing', () => {
  const search = validateQueueSearch({
    q: '',
    sort: 'by colour',
    status: 'lost',
    severity: 'x',
    older: 'ever',
    what: '1',
  })
  expect(search).not.toHaveProperty('what')
  expect(askedOf(search)).toEqual(askedOf({}))
})

test('ages are those of a queue', () => {
  const now = Date.parse('2026-11-22T12:00:00Z')
  const ages = [
    '2026-11-22T11:20:00Z',
    '2026-11-21T17:00:00Z',
    '2026-11-20T08:00:00Z',
    '2026-11-19T12:00:00Z',
  ]
  expect(ages.map((at) => ageOf(at, now))).toEqual(['40 min', '19 h', '2 d 4 h', '3 d'])
  expect(ages.map((at) => waitsLong(at, now))).toEqual([false, false, true, true])
})

test('how much faster is said in three digits, slower as slower', () => {
  expect([4.8512, 0.5, 1].map((factor) => speedupWords(factor))).toEqual([
    '4.85 times faster',
    '2 times slower',
    'as fast as before',
  ])
})

test('a picture is told in words: what each layer moved, and where only few ranks did', () => {
  const band = { layer: 'POSIX', seconds: 12, bytes_moved: 2 ** 30, cells: null, active: 1 } as const
  const of = { rows: 4, columns: 24, nprocs: 256, in_use: null }
  expect(inWords({ ...of, bands: [{ ...band, ranks: [9, 0, 0, 0] }] })).toContain('by few of the ranks')
  expect(inWords({ ...of, bands: [{ ...band, ranks: [9, 9, 9, 9] }] })).not.toContain('few')
})
