import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { me } from '../test/me'
import { INFO, open, serve } from '../test/router'

const JOBS = {
  document: 'site-jobs',
  section: 'Running jobs',
  also: ['mpiexec'],
  says: 'Directives of PBS, and mpiexec.',
  retrieved: '2026-11-29',
}
const SITE = {
  id: 'polaris',
  title: 'Polaris',
  status: 'current',
  version: '3',
  checked: '2026-11-29',
  url: null,
  scheduler: 'pbs',
  launcher: 'mpiexec',
  ranks_per_node_option: '--ppn',
  darshan_module: 'darshan',
  darshan_library: null,
  running_jobs: JOBS,
  file_systems: [],
  rates: [],
  stripe_rules: [],
  thresholds: [],
  environment: [],
  notes: [],
}

function shown(site: object) {
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/rules': [],
    'GET /api/v1/documents': [],
    'GET /api/v1/sites/polaris': site,
  })
  open('/sites/polaris')
}

it('what runs and starts the jobs of a site is shown with each section that says so', async () => {
  shown(SITE)
  const jobs = within(await screen.findByRole('region', { name: 'How jobs run' }))
  expect(jobs.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'jobs are run by pbs',
    'programs are started with mpiexec',
    'ranks of a node by --ppn',
    'module of Darshan darshan',
  ])
  expect(jobs.getByText(/Running jobs/)).toBeVisible()
  expect(jobs.getByText(/mpiexec$/, { selector: 'a, button, span' })).toBeVisible()
})

it('where no document says so, that is said, and nothing of what is not known', async () => {
  shown({ ...SITE, running_jobs: null })
  expect(await screen.findByText('Ours: no document says so.')).toBeVisible()
})

it('of a site that says nothing of it there is no such part', async () => {
  const unknown = { scheduler: null, launcher: null, ranks_per_node_option: null, darshan_module: null }
  shown({ ...SITE, ...unknown })
  await screen.findByRole('heading', { name: 'Polaris' })
  expect(screen.queryByRole('region', { name: 'How jobs run' })).toBeNull()
})

it('each table of what its documents measured has a name of its own', async () => {
  const row = { processes: 128, minimum: null, maximum: null, lower_quartile: null, upper_quartile: null }
  const rates = ['write', 'read'].map((direction) => ({
    ...{ id: direction, title: 'File per process, one stripe', direction, statistic: 'maximum' },
    ...{ unit: 'GiB/s', measured: 'once', settings: '', source: JOBS, rows: [{ ...row, rate: 1e9 }] },
  }))
  shown({ ...SITE, rates })
  const names = (await screen.findAllByRole('table')).map((table) => table.getAttribute('aria-label'))
  expect(names).toEqual(['File per process, one stripe: write', 'File per process, one stripe: read'])
  // One count of processes is a line, as in tables of more figures.
  expect(screen.getAllByRole('columnheader', { name: 'maximum' })).toHaveLength(2)
})
