import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { me } from '../../test/me'
import { INFO, open, serve } from '../../test/router'
import { FIELDS, ticketOf } from '../../test/ticket'
import type { Ticket, TicketFields } from '../queries'

const ticket = (version: number, fields: Partial<TicketFields> = {}): Ticket =>
  ticketOf({ version, fields: { ...FIELDS, ...fields } })

/** A server that keeps the ticket: what comes of a version that is no longer its own is refused with both texts. */
function keeping(now: Ticket) {
  const kept = { now, written: [] as TicketFields[] }
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/people': [{ id: 'hugo', name: 'Hugo' }],
    'GET /api/v1/tickets/1': () => Response.json(kept.now),
    'PATCH /api/v1/tickets/1': async (request) => {
      const { version, ...fields } = (await request.json()) as TicketFields & { version: number }
      if (version !== kept.now.version) {
        const both = { version: kept.now.version, theirs: kept.now.fields, yours: fields }
        return Response.json({ title: 'Changed', detail: 'Meanwhile.', ...both }, { status: 409 })
      }
      kept.written.push(fields)
      kept.now = ticket(version + 1, fields)
      return Response.json(kept.now)
    },
  })
  return kept
}

const details = async () => within(await screen.findByRole('region', { name: 'Details' }))

it('keeps what is being written when the ticket changes meanwhile, and what others changed elsewhere', async () => {
  const kept = keeping(ticket(1))
  open('/tickets/1')
  const part = await details()
  await userEvent.click(part.getByRole('button', { name: 'Edit' }))
  await userEvent.type(part.getByLabelText('Subject'), ' writes')
  await userEvent.selectOptions(screen.getByLabelText('Status'), 'waiting')
  await screen.findByDisplayValue('waiting for the user')
  expect(part.getByLabelText('Subject')).toHaveValue('slow writes')
  kept.now = ticket(7, { status: 'closed', user: 'grace' })
  await userEvent.click(part.getByRole('button', { name: 'Save' }))
  expect(await part.findByRole('button', { name: 'Edit' })).toBeVisible()
  expect(kept.now.fields).toEqual({ ...FIELDS, subject: 'slow writes', status: 'closed', user: 'grace' })
})

it('shows both texts of what two wrote, of which one is chosen', async () => {
  const kept = keeping(ticket(1))
  open('/tickets/1')
  const part = await details()
  await userEvent.click(part.getByRole('button', { name: 'Edit' }))
  await userEvent.type(part.getByLabelText('Subject'), ' writes')
  await userEvent.type(part.getByLabelText('User'), 'grace')
  kept.now = ticket(2, { subject: 'slow reads', user: 'hopper' })
  await userEvent.click(part.getByRole('button', { name: 'Save' }))
  expect(await part.findByText('slow reads')).toBeVisible()
  expect(part.getByLabelText('Subject')).toHaveValue('slow writes')
  expect(kept.written).toEqual([])
  await userEvent.click(part.getByRole('button', { name: 'Take their user' }))
  await userEvent.click(part.getByRole('button', { name: 'Save' }))
  expect(await part.findByRole('button', { name: 'Edit' })).toBeVisible()
  expect(kept.now.fields).toMatchObject({ subject: 'slow writes', user: 'hopper' })
})

it('is given to a colleague, and says who took it', async () => {
  const kept = keeping({
    ...ticket(1),
    history: [
      { at: '2026-11-20T09:14:00Z', by: 'ada', kind: 'owner', before: null, after: 'ada' },
      { at: '2026-11-20T09:15:00Z', by: 'ada', kind: 'owner', before: 'ada', after: 'hugo' },
    ],
  })
  open('/tickets/1')
  const owners = await screen.findByLabelText('Owner')
  await within(owners).findByRole('option', { name: 'Hugo' })
  expect(screen.getByText('took it', { exact: false })).toBeVisible()
  expect(screen.getByText('gave it to hugo', { exact: false })).toBeVisible()
  await userEvent.selectOptions(owners, 'Hugo')
  await screen.findByDisplayValue('Hugo')
  expect(kept.now.fields.owner).toBe('hugo')
})

const run = (id: string, headline: string, more: Partial<Ticket['cases'][number]> = {}) => ({
  ...{ id, headline, role: 'before', status: 'ready', title: id, job_id: null, severity: 'high' },
  ...{ added_at: '2026-11-20T09:14:00Z', io_time_s: null, io_time_bound: '', unread: null },
  ...more,
})

it('is called by the run that the queue calls it by', async () => {
  const both = { cases: [run('mild', 'Small reads.'), run('grave', 'It takes 5 s.')], leading: 'grave' }
  keeping({ ...ticket(1, { subject: '' }), ...both } as Ticket)
  open('/tickets/1')
  expect(await screen.findByRole('heading', { level: 1, name: 'It takes 5\u00a0s.' })).toBeVisible()
})

it.each([
  ['case deleted', 'ada', 'No log any more: the last one was deleted by ada.'],
  ['case deleted', 'retention', 'No log any more: the last one was deleted by retention.'],
  ['case removed', 'ada', 'No log any more: the last one was taken out.'],
  ['note', 'ada', 'No log yet: add one, or ask the user for it.'],
] as const)(
  'says of a ticket without a log, after "%s" by %s, whether there was one',
  async (kind, by, said) => {
    const event = { at: '2026-11-20T09:14:00Z', by, kind, before: 'a', after: null }
    keeping({ ...ticket(1), history: [event] } as Ticket)
    open('/tickets/1')
    expect(await screen.findByText(said)).toBeVisible()
  },
)

it.each([
  ['the run that it is about', ['old', 'lead', 'new'], 'lead', 'lead,after'],
  ['the last that was read, where that was not', ['old', 'new', 'broken'], 'broken', 'new,after'],
])('holds %s against the last run after it that was read', async (_, before, leading, compared) => {
  const unread = { status: 'failed' as const, severity: null, headline: null }
  const cases = [
    ...before.map((id) => run(id, id, id === 'broken' ? unread : {})),
    run('after', 'after', { role: 'after' }),
    run('broken-after', '', { ...unread, role: 'after' }),
  ]
  keeping({ ...ticket(1), cases, leading } as Ticket)
  open('/tickets/1')
  const link = await screen.findByRole('link', { name: 'Before and after, side by side' })
  expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain(`cases=${compared}`)
})

it.each([
  ['rerun', 'lead,rerun'],
  ['taken-out', 'lead,again'],
])(
  'shows the two runs side by side of which it says what the advice did: after it %s',
  async (after, compared) => {
    // The log of the run before, given once more, is passed over in what is said.
    const cases = [
      run('lead', 'lead'),
      run('rerun', 'a', { role: 'after' }),
      run('again', 'b', { role: 'after' }),
    ]
    const outcome = {
      verdict: 'helped',
      sentence: 'helped',
      rules: [],
      before_case: 'lead',
      after_case: after,
    }
    keeping({ ...ticket(1), cases, leading: 'lead', outcome } as unknown as Ticket)
    open('/tickets/1')
    const link = await screen.findByRole('link', { name: 'Before and after, side by side' })
    expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain(`cases=${compared}`)
  },
)
