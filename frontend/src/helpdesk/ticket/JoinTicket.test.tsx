import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { me } from '../../test/me'
import { INFO, open, serve } from '../../test/router'
import { FIELDS, ticketOf } from '../../test/ticket'

const here = ticketOf({ fields: { ...FIELDS, reference: 'RT-1' } })
const other = {
  ...ticketOf({ fields: { ...FIELDS, subject: 'again', reference: 'RT-2', user: 'ada' } }),
  id: 2,
}
const joined = {
  ...here,
  history: [{ at: '2026-11-20T09:14:00Z', by: 'eve', kind: 'joined', before: 'RT-2', after: 'again' }],
}
const SERVED = { 'GET /api/v1/info': INFO, 'GET /api/v1/me': me(), 'GET /api/v1/queue/people': [] }

it('joins another ticket, which is looked at before', async () => {
  const asked = serve({
    ...SERVED,
    'GET /api/v1/tickets/1': here,
    'GET /api/v1/ticket-named': other,
    'POST /api/v1/tickets/1/join': joined,
  })
  open('/tickets/1')
  await userEvent.click(await screen.findByRole('button', { name: 'Join another' }))
  await userEvent.type(await screen.findByLabelText('Number or reference'), ' RT-2 ')
  const look = screen.getByRole('button', { name: 'Look it up' })
  await userEvent.click(look)
  // Told to who sees no page, too, and who pressed it is still there.
  const said = await screen.findByText(': again. 0 runs and 0 notes, of user ada.')
  expect(said).toHaveAttribute('role', 'status')
  expect(look).toHaveFocus()
  await userEvent.click(screen.getByRole('button', { name: 'Join it into RT-1' }))
  const sent = () => asked.find(({ method, url }) => method === 'POST' && url.endsWith('/join'))
  await waitFor(() => expect(sent()).toBeDefined())
  expect(await sent()?.json()).toEqual({ ticket: 'RT-2', version: here.version })
  await waitFor(() => expect(screen.queryByLabelText('Number or reference')).toBeNull())
  expect(screen.getByText(/joined/)).toHaveTextContent('joined RT-2 into it: again')
})

it('joins no ticket into itself', async () => {
  serve({ ...SERVED, 'GET /api/v1/tickets/1': here, 'GET /api/v1/ticket-named': here })
  open('/tickets/1')
  await userEvent.click(await screen.findByRole('button', { name: 'Join another' }))
  await userEvent.type(await screen.findByLabelText('Number or reference'), '1{Enter}')
  expect(await screen.findByText('That is this ticket.')).toBeVisible()
  expect(screen.queryByRole('button', { name: /^Join it/ })).toBeNull()
})

it('shows one that was joined where it is now, with the note that was being written when it was', async () => {
  let now: object = other
  serve({ ...SERVED, 'GET /api/v1/tickets/2': () => Response.json(now), 'GET /api/v1/tickets/1': here })
  const { router, client } = open('/tickets/2')
  const note = await screen.findByLabelText('A note, in Markdown')
  await userEvent.type(note, 'It restarts')
  now = here
  await act(() => client.invalidateQueries({ queryKey: ['ticket'] }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/tickets/1'))
  expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(here.fields.subject)
  expect(screen.getByLabelText('A note, in Markdown')).toBe(note)
  expect(note).toHaveValue('It restarts')
  // Another ticket begins with nothing written.
  await act(() => router.navigate({ to: '/tickets/$ticketId', params: { ticketId: '3' } }))
  now = other
  await act(() => router.navigate({ to: '/tickets/$ticketId', params: { ticketId: '2' } }))
  await waitFor(() => expect(screen.getByLabelText('A note, in Markdown')).toHaveValue(''))
})

it('has what somebody else wrote meanwhile beside it, and joins by that', async () => {
  const theirs = { type: 'x', title: 'x', status: 409, detail: 'x', errors: [], yours: '' }
  const newer = { ...here, version: here.version + 1, fields: { ...here.fields, subject: 'much slower' } }
  let now = here
  const asked = serve({
    ...SERVED,
    'GET /api/v1/tickets/1': () => Response.json(now),
    'GET /api/v1/ticket-named': { ...other, fields: { ...other.fields, subject: 'Again?' } },
    'POST /api/v1/tickets/1/join': () => {
      if (now === newer) return Response.json({ ...joined, version: newer.version + 1 })
      now = newer
      return Response.json({ ...theirs, version: newer.version, theirs: newer.fields }, { status: 409 })
    },
  })
  open('/tickets/1')
  await userEvent.click(await screen.findByRole('button', { name: 'Join another' }))
  await userEvent.type(await screen.findByLabelText('Number or reference'), 'RT-2{Enter}')
  expect(await screen.findByText(': Again? 0 runs and 0 notes, of user ada.')).toBeVisible()
  const join = screen.getByRole('button', { name: 'Join it into RT-1' })
  await userEvent.click(join)
  expect(await screen.findByText('Somebody else changed this ticket meanwhile')).toBeVisible()
  expect(await screen.findByRole('heading', { name: 'much slower', hidden: true })).toBeInTheDocument()
  await userEvent.click(join)
  await waitFor(() => expect(screen.queryByLabelText('Number or reference')).toBeNull())
  const sent = asked.filter(({ url }) => url.endsWith('/join'))
  expect(await sent.at(-1)?.json()).toEqual({ ticket: 'RT-2', version: newer.version })
})
