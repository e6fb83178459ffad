import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Cite } from './Cite'

const GUIDE = {
  key: 'archer2-io',
  title: 'ARCHER2 User Guide, I/O performance and tuning',
  publisher: 'EPCC',
  systems: 'ARCHER2',
  url: 'https://docs.archer2.ac.uk/user-guide/io/',
  read_on: '2026-11-20',
}

it('says when the document was read: on hovering, and beside it where there is room', () => {
  render(<Cite document="archer2-io" section="I/O profiling" of={GUIDE} says="12 OSTs" dated />)
  const link = screen.getByRole('link', { name: /archer2-io\s· I\/O profiling/ })
  expect(link).toHaveAttribute('href', `${GUIDE.url}#io-profiling`)
  expect(link).toHaveAttribute('title', `${GUIDE.title}, read on 2026-11-20: 12 OSTs`)
  expect(screen.getByText('read on 2026-11-20')).toBeVisible()
})

it('says that a number is ours where no document gives one', () => {
  render(<Cite document="project" section="a section" />)
  expect(screen.getByText('project')).toHaveAttribute('title', expect.stringContaining('Set by this project'))
})
