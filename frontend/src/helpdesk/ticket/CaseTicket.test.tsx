import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { oneAggregatorStats } from '../../fixtures/stored'
import { caseView } from '../../test/caseView'
import { me } from '../../test/me'
import { INFO, open, problem, serve } from '../../test/router'
import type { HeldBy } from '../queries'

const LATE = 'Somebody took it meanwhile: it is of ticket 7 now.'

type Role = 'helpdesk' | 'user'

function triage(first: HeldBy | null, refused: string | null = null, role: Role = 'helpdesk') {
  return serve(answers(first, refused, role))
}

function answers(first: HeldBy | null, refused: string | null, role: Role) {
  let held = first
  return {
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me({ role }),
    'GET /api/v1/queue/people': [
      { id: 'ada', name: 'Ada' },
      { id: 'bob', name: 'Bob' },
    ],
    'GET /api/v1/cases/a1': caseView({ document: oneAggregatorStats }),
    'GET /api/v1/cases/a1/same-job': [],
    'GET /api/v1/cases/a1/triage': [],
    'GET /api/v1/cases/a1/ticket': () => Response.json(held),
    'POST /api/v1/queue/actions': () => {
      held = { ticket: 7, reference: null, status: 'in work', owner: refused === null ? 'ada' : 'bob' }
      return Response.json([{ ticket: 7, case: 'a1', refused }])
    },
  }
}

test('a case that nobody has taken is taken where it is read', async () => {
  const asked = triage(null)
  open('/cases/a1/triage')
  await userEvent.click(await screen.findByRole('button', { name: 'Take it' }))
  expect(await screen.findByRole('link', { name: 'Ticket 7' })).toHaveAttribute('href', '/tickets/7')
  expect(screen.getByText(/in work, yours/)).toBeVisible()
  expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('who comes second sees whose ticket it is', async () => {
  triage(null, LATE)
  open('/cases/a1/triage')
  await userEvent.click(await screen.findByRole('button', { name: 'Take it' }))
  expect(await screen.findByText(/in work, of Bob/)).toBeVisible()
  expect(screen.getByText(LATE)).toBeVisible()
})

test('a ticket is called by its reference, and a user hears of none', async () => {
  triage({ ticket: 7, reference: 'RT-7', status: 'waiting', owner: null })
  const { unmount } = open('/cases/a1/triage')
  expect(await screen.findByRole('link', { name: 'RT-7' })).toHaveAttribute('href', '/tickets/7')
  expect(screen.getByText(/waiting for the user, nobody's/)).toBeVisible()
  unmount()
  const asked = triage(null, null, 'user')
  open('/cases/a1/triage')
  await screen.findByText('Triage, step by step')
  expect(asked.some(({ url }) => url.endsWith('/ticket'))).toBe(false)
})

test('says that the ticket could not be fetched, and asks again', async () => {
  let fails = true
  const answer = () =>
    fails ? problem(503, 'The server is busy', 'Try again in a moment.') : Response.json(null)
  serve({ ...answers(null, null, 'helpdesk'), 'GET /api/v1/cases/a1/ticket': answer })
  open('/cases/a1/triage')
  const said = (await screen.findByText("The case's ticket could not be fetched")).closest('div')
  if (!said) throw new Error('nothing is said')
  fails = false
  await userEvent.click(within(said).getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('button', { name: 'Take it' })).toBeVisible()
})
