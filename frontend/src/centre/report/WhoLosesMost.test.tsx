import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Section } from './types'
import { WhoLosesMost } from './WhoLosesMost'

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
  ...{ id: 'help', theme: 'help', title: 'Who loses most', note: '', columns: [] },
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
