import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Tables } from './Tables'
import type { Column, Section } from './types'

const column = (
  title: string,
  unit: Column['unit'],
  holds: Column['holds'] = 'words',
  empty: Column['empty'] = 'unknown',
): Column => ({ title, unit, holds, empty })

const section = (id: string, title: string, rows: Section['rows'], none: string): Section => ({
  id,
  theme: 'collective',
  title,
  note: 'What the figures are.',
  columns: [column('file system', 'text')],
  rows,
  logs: [],
  none,
})

it('says of each table without rows what that means, and of no other', () => {
  render(
    <Tables
      sections={[
        section('slow-mpi-io', 'Slow MPI-IO', [], 'No log moved more than 1 GiB.'),
        section('file-system-use', 'Who uses which file system', [['/scratch']], 'No log names it.'),
      ]}
    />,
  )
  expect(screen.getByRole('definition').textContent).toBe('No log moved more than 1 GiB.')
  expect(screen.getByRole('term').textContent).toBe('Slow MPI-IO')
  expect(screen.getByText('/scratch')).toBeTruthy()
})

it('begins each row with what it is known by', () => {
  const causes = section('causes', 'Time by cause', [[12, 'small-io', 3]], 'None.')
  const columns = [column('process-hours', 'process-hours'), column('cause', 'text'), column('jobs', 'count')]
  render(<Tables sections={[{ ...causes, columns }]} />)
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'cause',
    'process-hours',
    'jobs',
  ])
  expect(screen.getAllByRole('cell').map(({ textContent }) => textContent?.split('\u202f')[0])).toEqual([
    'small-io',
    '12',
    '3',
  ])
})

it('names hours once, above their column', () => {
  const causes = section('causes', 'Time by cause', [['small-io', 3, 2]], 'None.')
  const columns = [
    column('cause', 'text'),
    column('process-hours', 'process-hours'),
    column('saves at least', 'process-hours'),
  ]
  render(<Tables sections={[{ ...causes, columns }]} />)
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'cause',
    'process-hours',
    'saves at least, process\u2011h',
  ])
  expect(screen.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(['small-io', '3', '2'])
})

it('leads from a cause to its rule, and beside it to the log with most of it', async () => {
  const causes = section('causes', 'Time by cause', [['small-io']], 'None.')
  const columns = [column('rule', 'text', 'rule', 'none')]
  const page = () => (
    <Tables sections={[{ ...causes, columns, logs: [{ day: '2026-11-20', log: 'c95b' }] }]} />
  )
  const history = createMemoryHistory({ initialEntries: ['/'] })
  render(
    <RouterProvider router={createRouter({ routeTree: createRootRoute({ component: page }), history })} />,
  )
  const rule = await screen.findByRole('link', { name: 'small-io' })
  expect(rule.closest('td')?.querySelector('a a')).toBeNull()
  expect(rule).toHaveAttribute('href', '/rules/small-io')
  expect(screen.getByRole('link', { name: 'largest log: small-io' })).toHaveAttribute(
    'href',
    '/centre/2026-11-20/logs/c95b',
  )
})

it('names a column that no row fills below the table, and what is none, or of other days, is not called unknown', () => {
  const help = section(
    'help',
    'Who loses most',
    [
      ['abe', null, null, null, null],
      ['eve', null, 3, null, null],
    ],
    'None.',
  )
  const columns = [
    column('user', 'text', 'name'),
    column('node-hours', 'node-hours'),
    column('jobs', 'count'),
    column('ticket', 'text', 'name', 'none'),
    column('median of 7 days', 'count', 'words', 'no_days'),
  ]
  const { rerender } = render(<Tables sections={[{ ...help, columns }]} />)
  const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(heads()).toEqual(['user', 'jobs'])
  expect(
    screen.getByText(
      'No log of these says: node-hours. None of these has: ticket. Earlier days have nothing to compare with: median of 7 days.',
    ),
  ).toBeVisible()
  const [, second = []] = help.rows
  rerender(<Tables sections={[{ ...help, columns, rows: [['abe', 2, 1, 'RT-1', 4], second] }]} />)
  expect(heads()).toEqual(['user', 'node-hours', 'jobs', 'ticket', 'median of 7 days'])
  expect(screen.getAllByRole('cell').at(-2)).toHaveTextContent('none')
  expect(screen.getByTitle('None of these days has a figure.')).toBeVisible()
  expect(screen.getByTitle('The logs do not say.')).toBeVisible()
})

it('does not say of 28 days of 0 that they have no logs', () => {
  const totals = section('totals', 'Totals', [['high', 3, 0, null]], 'None.')
  const columns = [
    column('what', 'text'),
    column('a day', 'count'),
    column('median of 28 days', 'count', 'words', 'no_days'),
    column('against 28 days', 'ratio', 'words', 'no_ratio'),
  ]
  const { rerender } = render(<Tables sections={[{ ...totals, columns }]} />)
  expect(screen.getByText('Earlier days have nothing to compare with: against 28 days.')).toBeVisible()
  rerender(<Tables sections={[{ ...totals, columns, rows: [...totals.rows, ['jobs', 4, 2, 2]] }]} />)
  expect(screen.getByTitle('There is no figure, or none but 0 to hold it against.')).toBeVisible()
})

it('keeps the zeros of ratios below one another, and writes a number that names something as it is', () => {
  const osts = section(
    'slow-osts',
    'Slow OSTs',
    [
      [7, 22.4],
      [1030, 22],
    ],
    'None.',
  )
  render(<Tables sections={[{ ...osts, columns: [column('OST', 'number'), column('slowness', 'ratio')] }]} />)
  // What an OST is called is no figure.
  expect(screen.getByText('1030')).toBeVisible()
  expect(screen.getByText('22.0 ×')).toBeVisible()
  expect(screen.getByText('22.4 ×')).toBeVisible()
})
