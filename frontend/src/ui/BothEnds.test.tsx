import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { BothEnds } from './BothEnds'

const NAME = 'jlbez_8a_benchmark_write_parallel_id1322696_8-21-14519-8141979180909667175_12.darshan'

it.each([1, 3] as const)('keeps the end of a long name apart from what may be cut, in %i lines', (lines) => {
  const { container } = render(<BothEnds name={NAME} lines={lines} />)
  expect(container).toHaveTextContent(NAME)
  const parts = [...container.querySelectorAll('span > span')].map((part) => part.textContent)
  expect(parts).toEqual([NAME.slice(0, -16), '667175_12.darshan'.slice(-16)])
  expect(render(<BothEnds name="job 7" lines={lines} />).container.innerHTML).toBe('job 7')
})
