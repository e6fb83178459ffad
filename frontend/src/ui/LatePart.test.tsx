import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
  useLocation,
} from '@tanstack/react-router'
import { act, render, screen } from '@testing-library/react'
import { lazy, type ReactNode } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { LatePart } from './LatePart'

beforeEach(() => {
  // React writes to the console what a boundary catches.
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
})

function drawn(part: ReactNode) {
  const component = () => (
    <>
      <h1>What is wrong</h1>
      <LatePart what="The file">{part}</LatePart>
    </>
  )
  const history = createMemoryHistory({ initialEntries: ['/?file=a'] })
  render(<RouterProvider router={createRouter({ routeTree: createRootRoute({ component }), history })} />)
  return history
}

test.each([
  ['error loading dynamically imported module: /assets/Charts-a1.js', 'The file could not be fetched.'],
  ['cannot read properties of undefined', 'The file could not be drawn.'],
])('what stands around a part that fails stays: %s', async (message, title) => {
  const Failing = lazy(() => Promise.reject<{ default: () => null }>(new Error(message)))
  drawn(<Failing />)
  expect(await screen.findByRole('alert')).toHaveTextContent(title)
  expect(screen.getByRole('link', { name: 'Load the page again' })).toBeVisible()
  expect(screen.getByRole('heading')).toBeVisible()
})

function Detail() {
  const { file } = useLocation().search as { file: string }
  if (file === 'a') throw new Error('cannot read properties of undefined')
  return <p>file {file}</p>
}

test('that one thing cannot be drawn is not said of the next', async () => {
  const history = drawn(<Detail />)
  expect(await screen.findByRole('alert')).toBeVisible()
  await act(async () => history.push('/?file=b'))
  expect(await screen.findByText('file b')).toBeVisible()
  expect(screen.queryByRole('alert')).toBeNull()
})
