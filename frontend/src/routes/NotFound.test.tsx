import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { PageError } from './NotFound'

const show = (message: string) => {
  const routeTree = createRootRoute({ component: () => <PageError error={new Error(message)} /> })
  render(<RouterProvider router={createRouter({ routeTree, history: createMemoryHistory() })} />)
}

describe('what stands in the place of a part that failed', () => {
  it('tells a part that did not come from a defect', async () => {
    show('Unable to preload CSS for /assets/Timeline-C0fPm3p5.css')
    expect(await screen.findByRole('heading')).toHaveTextContent('could not be fetched')
    expect(screen.getByRole('alert')).toHaveTextContent('The server does not answer, or has been updated')
    expect(screen.queryByText(/preload CSS/)).toBeNull()
  })

  it('names the defect, which whoever is told of it needs', async () => {
    show("Cannot read properties of undefined (reading 'toPrecision')")
    expect(await screen.findByRole('heading')).toHaveTextContent('could not be drawn')
    expect(screen.getByText(/toPrecision/)).toBeVisible()
  })
})
