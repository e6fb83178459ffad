import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ApiError, unreachable } from '../api/client'
import { QueryProblem } from './QueryProblem'

it('says what may have become of a thing that was there when the page was opened, and of no other', () => {
  const show = (error: Error) =>
    render(<QueryProblem what="The times of the files" query={{ error, refetch: () => {} }} />)
  const { unmount } = show(new ApiError('There is no such case', "Case 'abc' is not here.", 404))
  expect(screen.getByRole('alert')).toHaveTextContent(
    "There is no such case. Case 'abc' is not here. It may have been removed since this page was opened.",
  )
  unmount()
  show(unreachable())
  expect(screen.getByRole('alert')).not.toHaveTextContent('removed')
})
