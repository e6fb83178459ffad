import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { PlainTable } from './PlainTable'

const DATA = {
  head: ['rank', 'node', 'layer', 'written', 'of the mean', 'limit', 'time', 'of the run', 'slowest'],
  rows: [
    [
      '0',
      'nid001040',
      'MPI-IO',
      '6.00 MiB',
      '1.00 ×',
      '≥ 8 ranks',
      'at most 5.81 s',
      '39 %',
      '0 on nid001040',
    ],
    ['970', 'nid001041', 'POSIX', '0 B', 'not recorded', '', 'not recorded', 'up to 45 %', '12 on nid001041'],
  ],
}

it('has figures at the right of their columns, and names and words at the left', () => {
  render(<PlainTable data={DATA} caption="Ranks" />)
  const atRight = (name: string) => screen.getByRole('columnheader', { name }).classList.contains('num')
  expect(DATA.head.filter(atRight)).toEqual(['written', 'of the mean', 'limit', 'time', 'of the run'])
  expect(screen.getByRole('cell', { name: 'nid001040' })).not.toHaveClass('num')
  expect(screen.getByRole('cell', { name: '6.00 MiB' })).toHaveClass('num')
})
