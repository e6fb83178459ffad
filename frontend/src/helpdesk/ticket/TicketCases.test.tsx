import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { me } from '../../test/me'
import { INFO, open, serve } from '../../test/router'
import { FIELDS, ticketOf } from '../../test/ticket'
import type { Ticket } from '../queries'

type Run = Ticket['cases'][number]

const run = (id: string, role: Run['role'], said: Partial<Run> = {}): Run => ({
  id,
  role,
  presumed: false,
  added_at: '2026-11-20T09:14:00Z',
  status: 'ready',
  title: id,
  job_id: id,
  severity: 'high',
  headline: 'One aggregator writes all.',
  io_time_s: 2,
  io_time_bound: '',
  unread: null,
  ...said,
})

it.each([
  [
    'nobody knows when it ran',
    run('7002', 'after', { presumed: true }),
    ['ran before', 'ran after'],
    'after?',
  ],
  ['its start told its side', run('7002', 'after'), ['ran before'], 'after'],
  ['it is still read', run('7002', 'after', { presumed: true, status: 'reading' }), ['ran before'], 'after'],
])('asks on which side of the advice a run is where %s', async (_, after, asked, said) => {
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/people': [],
    'GET /api/v1/tickets/1': ticket([run('7001', 'before'), after]),
  })
  open('/tickets/1')
  const [, row] = within(await screen.findByRole('region', { name: /^Runs/ })).getAllByRole('listitem')
  if (row === undefined) throw new Error('no second run')
  expect(within(row).getByText(said)).toBeInTheDocument()
  expect(
    within(row)
      .getAllByRole('button', { name: /^ran / })
      .map((one) => one.textContent),
  ).toEqual(asked)
  expect(row.textContent?.includes('no source says when it began')).toBe(said === 'after?')
})

it.each([
  ['has a side', false],
  ['has a side, not where that is presumed', true],
])('names a comparison only where the run after %s', async (_, presumed) => {
  const outcome: Ticket['outcome'] = {
    ...{ verdict: 'unclear', sentence: 'nobody knows', factor: null, rules: [], advised: null },
    ...{ before_case: '7001', after_case: '7002', decided_by: null, reason: null },
    decided_at: '2026-11-20T09:14:00Z',
  }
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/people': [],
    'GET /api/v1/tickets/1': {
      ...ticket([run('7001', 'before'), run('7002', 'after', { presumed })]),
      outcome,
    },
  })
  open('/tickets/1')
  const part = await screen.findByRole('region', { name: 'Nobody knows.' })
  expect(part.textContent?.includes('by the comparison of the two runs, ')).toBe(!presumed)
})

it('has what to ask for where there is no log yet', async () => {
  const text = 'We need a log.\n\n    module load darshan\n'
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/people': [],
    'GET /api/v1/tickets/1': ticket([]),
    'GET /api/v1/tickets/1/asking': { form: 'plain', template: 'english', findings: [], text },
  })
  open('/tickets/1')
  const asking = within(await screen.findByRole('region', { name: 'What to ask for' }))
  expect(asking.getByText(/module load darshan/)).toBeVisible()
  expect(asking.getByRole('button', { name: 'Mark as waiting for the user' })).toBeVisible()
})

it('asks for a log of the system that the ticket has now', async () => {
  let now = ticket([])
  const linesOf = (system: string | null) =>
    `    module load ${system === null ? 'darshan' : 'darshan-runtime'}\n`
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/people': [],
    'GET /api/v1/tickets/1': () => Response.json(now),
    'GET /api/v1/tickets/1/asking': () =>
      Response.json({ form: 'plain', template: 'english', findings: [], text: linesOf(now.fields.system) }),
    'PATCH /api/v1/tickets/1': () => {
      now = ticket([], 'archer2')
      return Response.json(now)
    },
  })
  open('/tickets/1')
  expect(await screen.findByText(/module load darshan$/)).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Edit' }))
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText(/module load darshan-runtime/)).toBeVisible()
})

const ticket = (cases: Run[], system: string | null = null): Ticket =>
  ticketOf({ cases, fields: { ...FIELDS, system } })
