import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Explained } from './Term'

it.each([
  ['It is written to 1 of 12 OSTs.', 'It is written to 1 of 12\u00a0OSTs.'],
  [
    'An aggregator writes > 5 s to 3 OSTs and 64 MiB.',
    'An aggregator writes >\u00a05\u00a0s to 3\u00a0OSTs and 64\u00a0MiB.',
  ],
])('keeps a number beside its unit where that is a term: %s', (sentence, shown) => {
  const { container } = render(<Explained>{sentence}</Explained>)
  expect(container.textContent?.startsWith(shown.slice(0, -1))).toBe(true)
})
