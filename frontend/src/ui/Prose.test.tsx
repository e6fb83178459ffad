import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Prose, sectionsOf } from './Prose'

it('sets code and the words that weigh, and shows none of their marks', () => {
  const [section] = sectionsOf('Most of the time **and** a large `imbalance` row; 2 * 3 stays.\n')
  const { container } = render(<Prose blocks={section?.blocks ?? []} />)
  expect(container.querySelector('strong')).toHaveTextContent('and')
  expect(container.querySelector('code')).toHaveTextContent('imbalance')
  expect(container).toHaveTextContent('Most of the time and a large imbalance row; 2 * 3 stays.')
})
