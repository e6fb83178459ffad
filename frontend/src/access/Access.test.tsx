import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { caseView } from '../test/caseView'
import { me } from '../test/me'
import { EMPTY_SERVER, open, problem, serve } from '../test/router'
import { ticketOf } from '../test/ticket'

const nobody = me({ id: null, name: null, role: null, signs_out: false })
const token = (id: string, name: string) => ({
  id,
  name,
  person: 'alice',
  scope: 'submit',
  made_at: '2026-11-20T09:14:00Z',
  ends_at: '2027-02-18T09:14:00Z',
  used_at: null,
})

describe('who one is', () => {
  it('is asked of who is not logged in, with the way back to the page', async () => {
    serve({ 'GET /api/v1/me': nobody, 'GET /api/v1/info': () => problem(401, 'Who?', 'Log in.') })
    open('/rules')
    expect(await screen.findByText('This server does not know who you are.')).toBeVisible()
    const ways = screen.getAllByRole('link', { name: 'Log in' })
    expect(ways.map((way) => new URL((way as HTMLAnchorElement).href).pathname)).toContain('/sign-in')
  })

  it('on a loopback is the address that the server printed', async () => {
    serve({ 'GET /api/v1/me': { ...nobody, mode: 'local', sign_in: null } })
    open('/')
    expect(await screen.findByText('iotriage access open')).toBeVisible()
    expect(screen.queryByText('Log in')).toBeNull()
  })

  it('is said above a page whose log-in ended, which keeps what was written on it', async () => {
    const ada = me({ role: 'helpdesk' })
    let here = true
    const ended = () => problem(401, 'This server does not know who you are', 'Log in.')
    const cases = { total: 0, cases: [] }
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/me': () => Response.json(here ? ada : nobody),
      'GET /api/v1/cases': () => (here ? Response.json(cases) : ended()),
      'GET /api/v1/rules': () => (here ? Response.json([]) : ended()),
      'GET /api/v1/sites': [],
    })
    const { router } = open('/')
    expect(await screen.findByRole('link', { name: 'Ada, helpdesk' })).toBeVisible()
    await userEvent.type(screen.getByLabelText('or paste text from stderr'), 'mine')
    here = false
    await router.options.context.queries.invalidateQueries({ queryKey: ['cases'] })
    expect(await screen.findByText('You are logged out')).toBeVisible()
    expect(screen.getByLabelText('or paste text from stderr')).toHaveValue('mine')
    expect(screen.getByRole('link', { name: 'Log in, in another window' })).toHaveAttribute(
      'target',
      '_blank',
    )
    here = true
    await userEvent.click(screen.getByRole('button', { name: 'I have logged in' }))
    await waitFor(() => expect(screen.queryByText('You are logged out')).toBeNull())
    expect(screen.getByLabelText('or paste text from stderr')).toHaveValue('mine')
  })

  it('is said too where what a person does is what is refused', async () => {
    let here = true
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/me': () => Response.json(here ? me({ role: 'helpdesk' }) : nobody),
      'GET /api/v1/queue/people': [],
      'GET /api/v1/tickets/1': ticketOf(),
      'POST /api/v1/tickets/1/notes': () => problem(401, 'This server does not know who you are', 'Log in.'),
    })
    open('/tickets/1')
    await userEvent.type(await screen.findByLabelText('A note, in Markdown'), 'mine')
    here = false
    await userEvent.click(screen.getByRole('button', { name: 'Add note' }))
    expect(await screen.findByText('You are logged out')).toBeVisible()
    expect(screen.getByLabelText('A note, in Markdown')).toHaveValue('mine')
  })

  it('is said too where a case is to be removed', async () => {
    let here = true
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/me': () => Response.json(here ? me({ role: 'user' }) : nobody),
      'GET /api/v1/cases/a1': caseView(),
      'GET /api/v1/cases/a1/same-job': [],
      'DELETE /api/v1/cases/a1': () => problem(401, 'This server does not know who you are', 'Log in.'),
    })
    open('/cases/a1')
    await userEvent.click(await screen.findByRole('button', { name: 'Remove this case' }))
    here = false
    await userEvent.click(await screen.findByRole('button', { name: 'Remove it' }))
    expect(await screen.findByText('You are logged out')).toBeVisible()
  })

  it.each([
    ['their user', me({ role: 'user' }), true],
    ['who is on a machine of their own', me({ mode: 'local', role: 'user', sign_in: null }), false],
  ])('says to %s who else sees what is given', async (_, who, said) => {
    serve({ ...EMPTY_SERVER, 'GET /api/v1/me': who })
    open('/')
    const stay = await screen.findByText(/^Logs stay on this server/)
    await waitFor(() => expect(stay.textContent?.includes('the helpdesk does')).toBe(said))
  })

  it('stands in the bar, with the role of who helps others', async () => {
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/me': me({ role: 'helpdesk' }),
      'POST /api/v1/me/sign-out': () => new Response(null, { status: 204 }),
    })
    open('/')
    expect(await screen.findByRole('link', { name: 'Ada, helpdesk' })).toBeVisible()
  })

  it('says why somebody is not let in', async () => {
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/me': () => problem(403, 'You may not use this service', 'In no group.'),
    })
    open('/')
    expect(await screen.findByText(/In no group/)).toBeVisible()
  })
})

describe('tokens', () => {
  it('are made, shown once, and revoked', async () => {
    let tokens = [token('aaaaaaaaaaaaaaaa', 'cron')]
    const asked = serve({
      ...EMPTY_SERVER,
      'GET /api/v1/me': me(),
      'GET /api/v1/tokens': () => Response.json(tokens),
      'POST /api/v1/tokens': () => {
        const made = token('bbbbbbbbbbbbbbbb', 'epilog')
        tokens = [made, ...tokens]
        return Response.json({ token: 'iotriage_shown-once', view: made }, { status: 201 })
      },
      'DELETE /api/v1/tokens/aaaaaaaaaaaaaaaa': () => {
        tokens = tokens.filter((one) => one.name !== 'cron')
        return new Response(null, { status: 204 })
      },
    })
    open('/access')
    await userEvent.type(await screen.findByLabelText('What it is for'), 'epilog')
    await userEvent.click(screen.getByText('Make a token'))
    expect(await screen.findByText('iotriage_shown-once')).toBeVisible()
    const made = asked.find((one) => one.method === 'POST')
    expect(await made?.json()).toEqual({ name: 'epilog', scope: 'submit', days: 90 })
    const list = screen.getByLabelText('Your tokens')
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(2))
    await userEvent.click(screen.getByLabelText('Revoke cron'))
    await waitFor(() => expect(within(list).queryByText(/cron/)).toBeNull())
    expect(screen.queryByText('People')).toBeNull()
  })
})
