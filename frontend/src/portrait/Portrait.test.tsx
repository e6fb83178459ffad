import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Portrait, shaded } from './Portrait'

it('draws cells of one level that follow one another in a row as one, and none over the end of a row', () => {
  // Three columns of 24, two rows of 4.5: 9 9 0 | 9 3 3.
  expect(shaded([9, 9, 0, 9, 3, 3], 3, 4.5)).toEqual([
    [9, 'M0 0h48v4.5H0ZM0 4.5h24v4.5H0Z'],
    [3, 'M24 4.5h48v4.5H24Z'],
  ])
})

it('has a mark for each level and none for each cell', () => {
  const cells = Array.from({ length: 96 }, (_, i) => i % 10)
  const band = { layer: 'POSIX', seconds: 1, bytes_moved: 1024, cells, ranks: null, active: 4 } as const
  const { container } = render(
    <Portrait of={{ rows: 4, columns: 24, nprocs: 4, bands: [band], in_use: null }} />,
  )
  expect(container.querySelectorAll('path')).toHaveLength(9)
})
