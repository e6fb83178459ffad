import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { me } from '../../test/me'
import { INFO, open, serve } from '../../test/router'
import type { CentreLog } from './types'

const finding = (rule: string, explained_by: string | null, takes_s: number | null) => ({
  ...{ rule, explained_by, takes_s, scope_label: 'field.dat', severity: 'high' },
  headline: `What ${rule} says.`,
})

it("has no seconds of a finding whose seconds are all another's", async () => {
  const log: CentreLog = {
    ...{ day: '2026-11-20', log: 'a1', path: '/logs/a.darshan', size_bytes: 1, gone: null },
    row: {
      ...{ has_document: true, failure: null, partial_log: false, job_id: '7', user: 20417 },
      ...{ executable: 'patterns', nprocs: 8, nnodes: 2, start_time: null, runtime_s: 8.3, site: 'generic' },
      ...{ headline: 'It is slow.', headline_severity: 'high', person: 'erin' },
    },
    findings: [finding('collective-disabled', null, 6.49), finding('small-io', 'collective-disabled', 0)],
    ...{ steps: [], more_steps: 0 },
  }
  serve({ 'GET /api/v1/info': INFO, 'GET /api/v1/centre/logs/2026-11-20/a1': log })
  open('/centre/2026-11-20/logs/a1')
  expect(await screen.findByRole('cell', { name: /6\.49\ss/ })).toBeVisible()
  expect(screen.getByText('explained by collective-disabled')).toBeVisible()
  expect(screen.queryByRole('cell', { name: /^0\ss$/ })).toBeNull()
})

it.each(['/centre', '/centre/2026-11-20', '/centre/2026-11-20/logs/a1'])(
  'tells a user at %s where the helpdesk works',
  async (address) => {
    serve({ 'GET /api/v1/info': INFO, 'GET /api/v1/me': me({ role: 'user' }) })
    open(address)
    expect(await screen.findByRole('heading', { name: 'That is where the helpdesk works.' })).toBeVisible()
  },
)
