import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { tunedRun } from '../fixtures/documents'
import { FileCell } from './FileCells'

const [file] = tunedRun.files
const NOT_KNOWN = { stripe_count: null, stripe_size_bytes: null, effective_ranks: null }

it.each(['stripe_count', 'effective_ranks'] as const)(
  'says of several files that share no %s only what is known: they may have different ones',
  (column) => {
    const said = (together: boolean) =>
      file &&
      render(<FileCell file={{ ...file, ...NOT_KNOWN }} column={column} together={together} />).container
        .textContent
    expect(said(true)).toBe('Not recorded, or not the same for all of these files.')
    expect(said(false)).toBe('not recorded')
  },
)
