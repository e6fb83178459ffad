import { render, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { MeasuredProfile } from '../api/types'
import { ProfileText } from './MeasuredSite'

const row = {
  processes: 64,
  rate: 900,
  lower_quartile: null,
  upper_quartile: null,
  maximum: null,
  minimum: null,
}
const table: MeasuredProfile['tables'][number] = {
  id: 'work-write',
  title: 'Shared collective, write',
  file_systems: ['work'],
  pattern: 'shared-collective',
  direction: 'write',
  statistic: 'maximum',
  unit: 'MiB/s',
  measured: '2025-03-05',
  rows: [row, { ...row, processes: 128 }],
  source: { document: 'ours-measured', section: 'ior.txt', says: 'IOR.', retrieved: '2026-11-22', also: [] },
  stripe_count: null,
  stripe_size_bytes: null,
  transfer_size_bytes: null,
  bytes_per_process: null,
  settings: null,
  iobuf: false,
}

it('says what is in the profile, what decides nothing, and gives the file', () => {
  const once: typeof table = { ...table, id: 'once', title: 'Serial, read', statistic: 'range', rows: [row] }
  const profile = {
    toml: 'id = "ours"\n',
    tables: [table, once],
    operation_tables: [],
    left_out: [{ result: 'job.darshan', line: null, why: 'it is no result of IOR or benchio' }],
  }
  render(<ProfileText name="ours" profile={profile} />)
  const rows = within(screen.getByRole('table')).getAllByRole('row')
  expect(rows[1]?.textContent).toBe('Shared collective, write2maximumwhether a job is slow')
  expect(rows[2]?.textContent).toContain('nothing: shown beside a job')
  const link = screen.getByRole('link', { name: 'Download ours.toml' })
  expect(link.getAttribute('download')).toBe('ours.toml')
  expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain('id = "ours"')
  expect(screen.getByText('1 result left out')).toBeTruthy()
  expect(screen.getByText('job.darshan: It is no result of IOR or benchio.')).toBeTruthy()
})

it('says so where nothing was measured', () => {
  const profile = { toml: '', tables: [], operation_tables: [], left_out: [] }
  render(<ProfileText name="ours" profile={profile} />)
  expect(screen.getByText('Nothing was measured by these results.')).toBeTruthy()
  expect(screen.queryByRole('link')).toBeNull()
})
