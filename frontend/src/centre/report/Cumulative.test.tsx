import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Cumulative, powers } from './Cumulative'
import { tickOf } from './cells'

const MIB = 2 ** 20
const said = (...of: Parameters<typeof powers>) =>
  powers(...of).map(({ words }) => words.replaceAll('\u202f', ' '))

it.each([
  [30 * MIB, 250 * MIB, 'B', ['32 MiB', '64 MiB', '128 MiB']],
  [1000, 8 * 2 ** 30, 'B/s', ['1 KiB/s', '32 KiB/s', '1 MiB/s', '32 MiB/s', '1 GiB/s']],
  [1e-6, 0.05, 'process-hours', ['0.000001', '0.00001', '0.0001', '0.001', '0.01']],
  [1, 2025, 'count', ['1', '10', '100', '1,000']],
  [3, 60, 'count', ['5', '10', '20', '50']],
] as const)('from %d to %d %s there are round values, each said once', (least, most, unit, words) => {
  expect(said(least, most, unit)).toEqual(words)
})

it('says a small tick of hours as what it is', () => {
  expect(tickOf(0.00005, 'process-hours')).toBe('0.00005')
  expect(tickOf(0.00025, 'process-hours')).toBe('0.00025')
  expect([0, 0.001, 0.0012].map((at) => tickOf(at, 'process-hours', 0.0002))).toEqual([
    '0',
    '0.0010',
    '0.0012',
  ])
})

it('says what a count is of', () => {
  const files = {
    id: 'files',
    title: 'Files of a job',
    note: '',
    unit: 'count' as const,
    jobs: 3,
    top_share: null,
  }
  render(<Cumulative distribution={{ ...files, at: [0, 0.5, 1], values: [1, 2, 43] }} />)
  expect(screen.getByText(/have at most 2 files, all of them at most 43/, { selector: 'p' })).toBeVisible()
})

it('says of one that it is one, and no unit twice', () => {
  const steps = { id: 'files', note: '', jobs: 3, top_share: null, at: [0, 0.5, 1] }
  const { container } = render(
    <>
      <Cumulative distribution={{ ...steps, title: 'Files of a job', unit: 'count', values: [1, 1, 43] }} />
      <Cumulative
        distribution={{
          ...steps,
          id: 'nodes',
          title: 'Processes of a job',
          unit: 'count',
          values: [1, 1, 9],
        }}
      />
      <Cumulative
        distribution={{
          ...steps,
          title: 'Process-hours of a job in I/O',
          unit: 'process-hours',
          values: [1, 2, 43],
        }}
      />
    </>,
  )
  expect(screen.getByText(/have at most 1 file, all of them at most 43/, { selector: 'p' })).toBeVisible()
  // A noun that nobody gave is left out.
  expect(screen.getByText(/have at most 1, all of them at most 9/, { selector: 'p' })).toBeVisible()
  expect(container).toHaveTextContent('Process-hours of a job in I/O, logarithmic')
})

it.each([
  [3, /all of them at most 3\.00\sMiB/],
  [250, /99\s% at most 2\.00\sMiB/],
])('of %d jobs, tells what the hundredth has only where there is one', (jobs, expected) => {
  render(
    <Cumulative
      distribution={{
        id: 'bytes',
        title: 'Bytes of a job',
        note: '',
        unit: 'B',
        jobs,
        at: [0, 0.5, 0.99, 1],
        values: [1, MIB, 2 * MIB, 3 * MIB],
        top_share: null,
      }}
    />,
  )
  expect(screen.getByText(expected, { selector: 'p' })).toBeVisible()
})
