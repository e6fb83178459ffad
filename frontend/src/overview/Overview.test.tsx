import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import Charts from '../charts/frame/Charts'
import { independentSmall, nothingToDraw, recordOverflow, tunedRun } from '../fixtures/documents'
import { Overview } from './Overview'

/** The same with as many files and bytes on another file system. */
const onTwo = ({ charts, ...document }: CaseDocument): CaseDocument => ({
  ...document,
  charts: {
    ...charts,
    file_systems: charts.file_systems.flatMap((one) => [one, { ...one, title: 'another' }]),
  },
})

const [source] = tunedRun.sources
if (!source) throw new Error('the fixture has no source')
/** A whole log of a run that opened no file. */
const idle: CaseDocument = {
  ...nothingToDraw,
  headlines: { ...nothingToDraw.headlines, no_io: tunedRun.headline },
  sources: [{ ...source, status: 'complete' }],
  groups: [],
  files_total: 0,
}

describe('a whole log without any I/O', () => {
  it('is one sentence, and no list of charts that other evidence would draw', () => {
    const { container } = render(
      <>
        <Overview document={idle} />
        <Charts document={idle} />
      </>,
    )
    expect(screen.getByRole('heading', { name: 'No I/O was recorded' })).toBeVisible()
    expect(container.textContent).toBe(
      'No I/O was recordedThe evidence was read whole, and in it no file is opened, read or written.',
    )
  })
  it('is not what is said where a source was read in part', () => {
    render(<Overview document={{ ...idle, sources: [{ ...source, status: 'partial' }] }} />)
    expect(screen.queryByText('No I/O was recorded')).toBeNull()
  })
})

it('does not ask for a log where one was read in part', () => {
  render(
    <Overview
      document={{
        ...nothingToDraw,
        texts: [],
        sources: [{ ...source, kind: 'darshan_log', status: 'partial' }],
      }}
    />,
  )
  expect(screen.getByText(/The log was read in part/)).toBeVisible()
  expect(screen.queryByText(/a Darshan log does/)).toBeNull()
})

it('does not send for a log who gave one', () => {
  const given = (kind: string): CaseDocument =>
    ({ ...nothingToDraw, texts: [], sources: [{ ...source, kind, status: 'complete' }] }) as CaseDocument
  const { rerender } = render(<Overview document={given('darshan_log')} />)
  expect(screen.getByText(/The log has no record of a file/)).toBeVisible()
  rerender(<Overview document={given('darshan_parser_text')} />)
  expect(screen.getByText(/a Darshan log does/)).toBeVisible()
})

it('says that no byte of the files is counted, where the log names files', () => {
  const none = { ...independentSmall.metrics['io.bytes'], value: 0 }
  const files = independentSmall.files.map((file) => ({ ...file, bytes_read: 0, bytes_written: 0 }))
  const metrics = { ...independentSmall.metrics, 'io.bytes': none }
  render(<Overview document={{ ...independentSmall, files, metrics } as CaseDocument} />)
  expect(screen.getByText('Of the files in the log no byte is counted as read or written.')).toBeVisible()
})

it('says of a partial log that the bytes of its file systems are at least so many, as of all others', () => {
  render(<Overview document={onTwo(recordOverflow)} />)
  const all = [...screen.getByLabelText('What the job used').querySelectorAll('small')].map(
    (e) => e.textContent,
  )
  const bytes = all.filter((words) => /[KMG]iB/.test(words ?? ''))
  expect(bytes).toEqual([expect.stringContaining('at least'), expect.stringContaining('at least')])
})

it('says of the only file system no figure that stands among those of the job', () => {
  render(<Overview document={recordOverflow} />)
  expect(screen.getByLabelText('What the job used')).not.toHaveTextContent(/[KMG]iB/)
})

it.each([
  ['/sw/bin/ior -a MPIIO -o out.dat', 'ior -a MPIIO -o out.dat'],
  ['/usr/bin/python3 /home/a/run.py in.nc ', 'python3 /home/a/run.py in.nc'],
  ['./plume  steps=64  "a  b"', 'plume steps=64  "a  b"'],
  [`${tunedRun.job.executable}+pat steps=64`, 'heat2d+pat steps=64'],
  ['/sw/bin/plume ', null],
  [null, null],
])('says what was started by %s, but for its folder', (command_line, said) => {
  render(<Overview document={{ ...tunedRun, job: { ...tunedRun.job, command_line } }} />)
  const term = screen.queryByText('Command')
  expect(term?.nextElementSibling?.textContent ?? null).toBe(said)
})

it('folds a long command, and shows all of it to whoever presses that', async () => {
  const command_line = `/sw/bin/plume ${'--output=/scratch/a '.repeat(12)}`
  render(<Overview document={{ ...tunedRun, job: { ...tunedRun.job, command_line } }} />)
  const text = screen.getByText(/^plume --output/)
  const folded = text.className
  await userEvent.click(screen.getByRole('button', { name: 'whole command', expanded: false }))
  expect(text.className).not.toBe(folded)
  expect(screen.getByRole('button', { expanded: true })).toHaveTextContent('first three lines')
})

it('calls groups of files alike only where some have several', () => {
  const { rerender } = render(<Overview document={{ ...tunedRun, files_total: tunedRun.groups.length }} />)
  expect(screen.queryByText(/similar names/)).toBeNull()
  rerender(<Overview document={tunedRun} />)
  expect(screen.queryAllByText(/similar names/)).toHaveLength(
    tunedRun.groups.length > 1 && tunedRun.files_total > tunedRun.groups.length ? 1 : 0,
  )
})
