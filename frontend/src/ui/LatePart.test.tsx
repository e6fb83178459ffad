import { render, screen } from '@testing-library/react'
import { lazy } from 'react'
import { expect, test, vi } from 'vitest'
import { LatePart } from './LatePart'

test.each([
  ['error loading dynamically imported module: /assets/Charts-a1.js', 'The charts could not be fetched.'],
  ['cannot read properties of undefined', 'The charts could not be drawn.'],
])('what stands around a part that fails stays: %s', async (message, title) => {
  // React writes to the console what a boundary catches.
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const Failing = lazy(() => Promise.reject<{ default: () => null }>(new Error(message)))
  render(
    <>
      <h1>What is wrong</h1>
      <LatePart what="The charts">
        <Failing />
      </LatePart>
    </>,
  )
  expect(await screen.findByRole('alert')).toHaveTextContent(title)
  expect(screen.getByRole('link', { name: 'Load the page again' })).toBeVisible()
  expect(screen.getByRole('heading')).toBeVisible()
})
