import { expect, it } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import type { FilePage } from '../api/types'
import { independentSmall } from '../fixtures/documents'
import { DOT } from '../ui/Dotted'
import { summaryOf } from './summaryOf'

const sum = (value: number | null, files = 43) => ({ value, files })
const page = (seconds: number, files = 43): FilePage => ({
  total: 43,
  matched: files,
  offset: 0,
  sums: {
    bytes_read: sum(null),
    bytes_written: sum(null),
    independent_calls: sum(null),
    collective_calls: sum(null),
    time_s: sum(seconds, files),
  },
  patterns: [],
  layers: [],
  files: [],
})
const { account } = independentSmall
if (!account) throw new Error('The fixture has no account')
const slowest = { rank: 1, least_s: 9.45, most_s: 9.58, cells: null }
const of = (given: Partial<NonNullable<CaseDocument['account']>>, seconds: number, files?: number) =>
  summaryOf(page(seconds, files), {
    account: { ...account, runtime_s: 20, partial: false, slowest, ...given },
  })
    .split(DOT)
    .at(-1)
    ?.replaceAll('\u202f', ' ')

it.each([
  ['of the files together, where that is less', {}, 3, 'at most 3.00 s of one rank'],
  ["no longer than the job's slowest rank", {}, 9.64, 'at most 9.58 s of one rank'],
  [
    'no longer than the run, where only part of the ranks is recorded',
    { partial: true },
    30,
    'at most 20.0 s of one rank',
  ],
  [
    'of the files alone, where nothing else is known',
    { runtime_s: null, slowest: null },
    30,
    'at most 30.0 s of one rank',
  ],
])('says a time %s', (_, given, seconds, said) => expect(of(given, seconds)).toBe(said))

it('says that of one file as it is', () => expect(of({}, 9.64, 1)).toBe('9.64 s of the slowest rank'))
