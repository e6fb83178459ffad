import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { type Figures, FileCell } from '../files/FileCells'
import { Stated } from '../sources/BlockCells'
import { Missing } from './Missing'

const told = (what: ReactNode) => render(what).container.textContent

const FILE: Figures = {
  pattern: null,
  layers: [],
  ranks: null,
  bytes_read: null,
  bytes_written: null,
  size_bytes: null,
  independent_calls: null,
  collective_calls: null,
  time_s: null,
  mean_metadata_s: null,
  stripe_count: null,
  stripe_size_bytes: null,
  effective_ranks: null,
}

it('says once why it is hatched, in the words that are known best', () => {
  expect(told(<Missing alone />)).toBe('not recorded')
  expect(told(<Missing alone>no collective</Missing>)).toBe('no collective')
  expect(told(<Missing alone reason="No log of these says it." />)).toBe('No log of these says it.')
  expect(told(<Missing reason="No log of these says it.">not known</Missing>)).toBe('not known')
})

it('says no more in the cells of files and of blocks', () => {
  for (const column of ['layers', 'ranks', 'bytes_read', 'stripe_count'] as const)
    expect(told(<FileCell file={FILE} column={column} />)).toBe('not recorded')
  expect(told(<Stated n={null} />)).toBe('not in the block')
})
