import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { me } from '../../test/me'
import { INFO, open, serve } from '../../test/router'
import { FIELDS, ticketOf } from '../../test/ticket'

const AT = '2026-11-20T09:14:00Z'
const answered = { at: AT, by: 'ada', kind: 'status', before: 'new', after: 'answered' }
const begun = { ...answered, after: 'in work' }
const run = {
  ...{ id: '7001', role: 'before', presumed: false, added_at: AT, status: 'ready', title: '7001' },
  ...{ job_id: '7001', severity: 'high', headline: 'One aggregator writes all.', io_time_s: 2 },
  ...{ io_time_bound: '', unread: null },
}
const ticket = (history: readonly object[], cases: readonly object[]) => ({
  ...ticketOf({ fields: { ...FIELDS, status: 'in work' } }),
  history,
  cases,
})

/** A file is known to the server already: nothing is sent of it. */
class Taken {
  upload = {}
  onload: (() => void) | null = null
  status = 201
  responseText = '{}'
  open() {}
  setRequestHeader() {}
  send() {
    queueMicrotask(() => this.onload?.())
  }
}
afterEach(() => vi.unstubAllGlobals())

it.each([
  ['its start tells the side of a run where the ticket was answered', [answered], null, null],
  ['a run follows what was advised where nobody has answered here', [begun], null, 'after'],
  ['a person says that it ran before', [answered], 'before the advice', 'before'],
  ['a person says that it ran after', [answered], 'after the advice', 'after'],
])('%s', async (_, history, chosen, role) => {
  vi.stubGlobal('XMLHttpRequest', Taken)
  const here = ticket(history, [run])
  const asked = serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/people': [],
    'GET /api/v1/tickets/1': here,
    'POST /api/v1/cases': { id: '7002' },
    'POST /api/v1/tickets/1/cases': here,
  })
  open('/tickets/1')
  await userEvent.click(await screen.findByRole('button', { name: 'Add a run' }))
  if (chosen !== null) await userEvent.click(await screen.findByRole('radio', { name: chosen }))
  await userEvent.upload(await screen.findByLabelText(/Drop logs here/), [new File(['log'], 'a.darshan')])
  const attached = () =>
    asked.find(({ url, method }) => method === 'POST' && url.endsWith('/tickets/1/cases'))
  await waitFor(() => expect(attached()).toBeDefined())
  expect(await attached()?.json()).toEqual({ case: '7002', role })
})

it('the first log of a ticket is what it is about: nobody is asked on which side it ran', async () => {
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/people': [],
    'GET /api/v1/tickets/1': ticket([], []),
  })
  open('/tickets/1')
  await userEvent.click(await screen.findByRole('button', { name: 'Add a log' }))
  expect(await screen.findByLabelText(/Drop logs here/)).toBeInTheDocument()
  expect(screen.queryByRole('radio')).toBeNull()
})
