import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { independentSmall } from '../../fixtures/stored'
import { caseView } from '../../test/caseView'
import { me } from '../../test/me'
import { INFO, open, serve } from '../../test/router'
import { ticketOf } from '../../test/ticket'
import type { Ticket } from '../queries'

vi.mock('../../routes/SeveralJobs', () => ({
  SeveralJobs: () => {
    throw new Error('error loading dynamically imported module: /assets/SeveralJobs-a1.js')
  },
}))

const RUN: Ticket['cases'][number] = {
  id: 'c',
  role: 'before',
  presumed: false,
  added_at: '2026-11-20T09:14:00Z',
  status: 'ready',
  title: 'c',
  job_id: '100',
  severity: 'high',
  headline: 'One aggregator writes all.',
  io_time_s: 2,
  io_time_bound: '',
  unread: null,
}

it('keeps its notes and history where the script of a part does not come', async () => {
  // React writes to the console what a boundary catches.
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const jobs = ['100', '200'].map((id) => ({ id, given: [0], among_others: true }))
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/people': [],
    'GET /api/v1/tickets/1': ticketOf({ cases: [RUN], leading: 'c' }),
    'GET /api/v1/cases/c': caseView({ id: 'c', document: { ...independentSmall, jobs } }),
  })
  open('/tickets/1')
  expect(await screen.findByText('The reply could not be fetched.')).toBeVisible()
  expect(screen.getByRole('complementary', { name: 'Details, notes and history' })).toBeVisible()
})
