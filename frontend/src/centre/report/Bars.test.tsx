import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { textWidth } from '../../charts/frame/text'
import { Bars } from './Bars'
import type { Histogram } from './types'

const histogram: Histogram = {
  id: 'io-share',
  theme: 'spread',
  title: 'Share of the run in I/O',
  note: 'By the slowest rank.',
  of: 0,
  bins: [{ label: 'below 1 %', logs: 0, process_hours: null }],
}

it.each([
  [1, /^The one log: below 1 %\./],
  [3, /^All 3 logs: below 1 %\./],
])('says of %d in one group that they are all', (logs, said) => {
  render(
    <Bars histogram={{ ...histogram, of: logs, bins: [{ label: 'below 1 %', logs, process_hours: 0 }] }} />,
  )
  expect(screen.getByText(said)).toBeVisible()
})

it('draws no bars of zero where no log states the figure', () => {
  render(<Bars histogram={histogram} />)
  expect(screen.getByText('No log of these states it. By the slowest rank.')).toBeVisible()
  expect(screen.queryByRole('img')).toBeNull()
  expect(screen.queryByText('As a table')).toBeNull()
})

it('has room for the longest name of a group', () => {
  const label = 'as much as is written or more'
  const { container } = render(
    <Bars histogram={{ ...histogram, of: 2, bins: [{ label, logs: 2, process_hours: 0 }] }} />,
  )
  expect(Number(container.querySelector('svg text')?.getAttribute('x'))).toBeGreaterThan(textWidth(label, 12))
})
