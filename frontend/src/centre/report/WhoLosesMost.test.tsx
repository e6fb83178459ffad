import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Column, Section } from './types'
import { WhoLosesMost } from './WhoLosesMost'

const TITLES = [
  'process-hours',
  'saves at most',
  'user',
  'program',
  'rule',
  'finding',
  'jobs',
  'job with most',
].concat('days', 'since', 'last contact', 'ticket', 'status')
const COLUMNS = TITLES.map((title): Column => ({ title, unit: 'text', holds: 'words', empty: 'none' }))
const row = (user: string | null, program: string): Section['rows'][number] => [
  3,
  null,
  user,
  program,
  'small-io',
  'Small accesses.',
  1,
  null,
  1,
  null,
  null,
  null,
  null,
]
const section = (rows: Section['rows']): Section => ({
  ...{ id: 'help', theme: 'help', title: 'Who loses most', note: '', columns: COLUMNS },
  ...{ rows, logs: [], none: '' },
})
const SIX = ['abe', 'bo', 'cy', 'di', 'eve', 'flo'].map((user) => row(user, 'plume'))

it.each([
  [
    'who runs several programs',
    [...SIX, row('abe', 'solver')],
    '1 more in the table below; who runs several programs stands there for each.',
  ],
  ['nobody twice', [...SIX, row('gil', 'solver')], '1 more in the table below.'],
  [
    'of programs that name nobody that one person runs them',
    [...SIX, row(null, 'solver'), row(null, 'plume')],
    '2 more in the table below.',
  ],
])('tells below the first of %s', (_, rows, said) => {
  render(<WhoLosesMost section={section(rows)} />)
  expect(screen.getByText(said)).toBeVisible()
})

it('finds what a row has by the names of the columns, wherever they stand', () => {
  const usual = render(<WhoLosesMost section={section(SIX.slice(0, 2))} />).container.textContent
  const turned = { columns: COLUMNS.toReversed(), rows: SIX.slice(0, 2).map((one) => one.toReversed()) }
  const { container } = render(<WhoLosesMost section={{ ...section([]), ...turned }} />)
  expect(container).toHaveProperty('textContent', usual)
})
