import { onlineManager } from '@tanstack/react-query'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { me } from '../../test/me'
import { INFO, open, problem, serve } from '../../test/router'
import type { QueueAction, QueueEntry, SavedView, TicketStatus } from '../queries'
import { briefly } from './QueueRows'

const entry = (id: number, status: TicketStatus): QueueEntry => ({
  id,
  ticket: id,
  case: `case${id}`,
  case_status: 'ready',
  version: 1,
  reference: `RT-${id}`,
  title: `job ${id}`,
  status,
  owner: null,
  severity: 'high',
  rule: 'small-io',
  headline: `Sentence ${id}`,
  sentence: `Sentence ${id}`,
  job_id: String(id),
  system: null,
  user: null,
  project: null,
  application: null,
  io_time_s: null,
  io_time_fraction: null,
  io_time_bound: '',
  lost_s: null,
  node_hours: null,
  could_save_s: null,
  cases: 1,
  job_entries: 1,
  created_at: '2026-11-20T09:14:00Z',
  changed_at: '2026-11-20T09:14:00Z',
  portrait: null,
  outcome: null,
  unread: null,
})

/** A queue of the three that are new; whatever is done to one takes it out. */
function waiting(also: Parameters<typeof serve>[0] = {}) {
  const kept = { entries: [1, 2, 3].map((id) => entry(id, 'new')), done: [] as QueueAction[] }
  const reply = (id: number) => (request: Request) => {
    const form = new URL(request.url).searchParams.get('form')
    return Response.json({ form, template: 'english', findings: [], text: `${form} of ${id}` })
  }
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/views': [],
    'GET /api/v1/queue/people': [
      { id: 'ada', name: 'Ada' },
      { id: 'hugo', name: 'Hugo' },
    ],
    'GET /api/v1/queue': () =>
      Response.json({ entries: kept.entries, next: null, counts: null, newest: null }),
    'GET /api/v1/cases/case1/reply': reply(1),
    'GET /api/v1/cases/case2/reply': reply(2),
    'GET /api/v1/cases/case3/reply': reply(3),
    'POST /api/v1/queue/actions': async (request) => {
      const action = (await request.json()) as QueueAction
      kept.done.push(action)
      const gone = action.entries.map((one) => one.ticket)
      kept.entries = kept.entries.filter((one) => !gone.includes(one.ticket))
      return Response.json(action.entries.map(({ ticket }) => ({ ticket, case: null, refused: null })))
    },
    ...also,
  })
  return kept
}

const lookedAt = async () =>
  within(await screen.findByRole('complementary')).getByRole('heading', { level: 2 })

afterEach(() => vi.unstubAllGlobals())

it('copies the reply, marks its entry answered and goes on to the next, by keys', async () => {
  const kept = waiting()
  const user = userEvent.setup()
  open('/queue?status=new')
  expect(await lookedAt()).toHaveTextContent('Sentence 1')
  await user.keyboard('j')
  expect(await lookedAt()).toHaveTextContent('Sentence 2')
  expect(await screen.findByText('markdown of 2')).toBeVisible()
  await user.keyboard('r')
  expect(await screen.findByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await navigator.clipboard.readText()).toBe('plain of 2')
  await user.keyboard('m')
  await waitFor(async () => expect(await lookedAt()).toHaveTextContent('Sentence 3'))
  await user.keyboard('k')
  await waitFor(async () => expect(await lookedAt()).toHaveTextContent('Sentence 1'))
  expect(kept.done).toEqual([{ entries: [{ ticket: 2, version: 1 }], status: 'answered' }])
})

it('goes on to the next that waits where an answered one stays in the list, and says what was done', async () => {
  const kept = waiting({
    'POST /api/v1/queue/actions': async (request) => {
      const { entries, status } = (await request.json()) as QueueAction
      const [done] = entries
      const it = kept.entries.filter(({ ticket }) => ticket === done?.ticket)
      const others = kept.entries.filter((one) => !it.includes(one))
      kept.entries = [...others, ...it.map((one) => ({ ...one, status: status ?? one.status }))]
      return Response.json([{ ticket: done?.ticket, case: null, refused: null }])
    },
  })
  const user = userEvent.setup()
  open('/queue')
  for (const [sentence, name] of [
    ['Sentence 1', 'RT-1'],
    ['Sentence 2', 'RT-2'],
  ]) {
    await waitFor(async () => expect(await lookedAt()).toHaveTextContent(sentence ?? ''))
    await user.keyboard('m')
    expect(await screen.findByText(`${name}: answered`)).toBeVisible()
  }
  expect(await lookedAt()).toHaveTextContent('Sentence 3')
})

it('says of each how many node-hours it loses, of one too', async () => {
  const kept = waiting()
  kept.entries = [1, 0.04, 1234.5].map((node_hours, i) => ({ ...entry(i + 1, 'new'), node_hours }))
  open('/queue')
  const said = await screen.findAllByText(/node\u2011hour/)
  expect(said.map((one) => one.textContent?.replaceAll('\u00a0', ' '))).toEqual([
    '1 node\u2011hour',
    '< 0.1 node\u2011hours',
    '1,235 node\u2011hours',
  ])
})

it('tells a case that waits from one that failed', async () => {
  const kept = waiting()
  kept.entries = (['reading', 'failed'] as const).map((case_status, i) => ({
    ...entry(i + 1, 'new'),
    headline: null,
    case_status,
  }))
  open('/queue')
  expect((await screen.findAllByText('Waits to be read, or is being read'))[0]).toBeVisible()
  expect(screen.getAllByText('Could not be diagnosed; its page says why')[0]).toBeVisible()
})

it('says of the next one what its row says', async () => {
  const kept = waiting()
  const lost = { lost_s: 765, could_save_s: 767, io_time_bound: 'at least' as const }
  kept.entries = [{ ...entry(1, 'new'), ...lost }]
  open('/queue')
  const heading = await screen.findByRole('heading', { level: 1, name: /^Next: RT-1/ })
  expect(heading).toHaveTextContent('loses at least 12 min 45 s a run')
  const row = screen.getAllByRole('row')[1]
  expect(row).toHaveTextContent(/at least 12\smin 45\ss/)
})

it('says of a ticket whose rerun has come what that showed, before the run that it is about', async () => {
  const kept = waiting()
  kept.entries = [{ ...entry(1, 'in work'), lost_s: 765, outcome: 'helped, 13.9 to 16.2 times faster' }]
  open('/queue')
  const heading = await screen.findByRole('heading', { level: 1, name: /^Next: RT-1/ })
  expect(heading).toHaveTextContent(/; rerun: helped, 13\.9 to 16\.2 times faster$/)
  expect(
    within(screen.getByRole('table')).getByText('Rerun: helped, 13.9 to 16.2 times faster'),
  ).toBeVisible()
  const preview = within(screen.getByRole('complementary'))
  expect(preview.getByText('Rerun: helped, 13.9 to 16.2 times faster')).toBeVisible()
  expect(await preview.findByRole('heading', { name: 'Reply to the run before' })).toBeVisible()
})

it('says that nothing waits only where nothing does', async () => {
  const kept = waiting()
  const none = { total: 0, without_owner: 0, by_severity: {}, by_status: {} }
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/views': [],
    'GET /api/v1/queue/people': [],
    'GET /api/v1/queue': () =>
      Response.json({ entries: kept.entries, next: null, counts: none, newest: null }),
    'GET /api/v1/cases/case1/reply': { form: 'markdown', template: 'english', findings: [], text: '' },
  })
  // Closed and answered ones wait for nobody here; a case that has no job is none.
  kept.entries = [entry(1, 'closed'), entry(2, 'answered')]
  const { unmount } = open('/queue?status=all')
  expect(await screen.findByRole('heading', { level: 1, name: 'Queue' })).toBeVisible()
  unmount()
  kept.entries = [
    entry(1, 'closed'),
    { ...entry(2, 'new'), ticket: null, reference: null, job_id: null, title: 'ior.txt' },
  ]
  const next = open('/queue')
  expect(await screen.findByRole('heading', { level: 1, name: /^Next: ior\.txt, waiting/ })).toBeVisible()
  next.unmount()
  kept.entries = []
  const searched = open('/queue?q=kelp')
  expect(await screen.findByText('No entry matches')).toBeVisible()
  expect(screen.queryByText('Nothing waits here')).toBeNull()
  kept.entries = [{ ...entry(1, 'closed'), reference: 'KELP-1' }]
  await userEvent.click(screen.getByRole('button', { name: 'Look among the closed, too' }))
  expect(await screen.findByRole('link', { name: 'KELP-1' })).toBeVisible()
  expect(searched.router.state.location.search).toMatchObject({ q: 'kelp', status: 'all' })
  kept.entries = []
  searched.unmount()
  for (const status of ['closed', 'all']) {
    const among = open(`/queue?q=kelp&status=${status}`)
    expect(await screen.findByText('No entry matches')).toBeVisible()
    expect(screen.queryByRole('button', { name: /closed/ })).toBeNull()
    among.unmount()
  }
  open('/queue')
  expect(await screen.findByText('Nothing waits here')).toBeVisible()
})

it('says little is lost where all time is known and no finding takes it', async () => {
  const kept = waiting()
  kept.entries = [
    { ...entry(1, 'new'), severity: 'clear', io_time_s: 0.7 },
    { ...entry(2, 'new'), severity: 'clear' },
  ]
  open('/queue')
  const rows = (await screen.findAllByRole('row')).slice(1)
  expect(within(rows[0] as HTMLElement).getByText('little')).toBeVisible()
  expect(rows[1]).not.toHaveTextContent('little')
})

it('says that nothing was changed where there is no network, and does it at no later time', async () => {
  const kept = waiting({
    'POST /api/v1/queue/actions': () => Promise.reject(new TypeError('Failed to fetch')),
  })
  open('/queue')
  await lookedAt()
  onlineManager.setOnline(false)
  try {
    await userEvent.keyboard('a')
    expect(await screen.findByText('Nothing was changed')).toBeVisible()
  } finally {
    onlineManager.setOnline(true)
  }
  expect(kept.done).toEqual([])
})

it('gives several to a colleague', async () => {
  const kept = waiting()
  open('/queue')
  for (const name of ['Choose RT-1', 'Choose RT-3'])
    await userEvent.click(await screen.findByRole('checkbox', { name }))
  const owners = await screen.findByLabelText('Owner of the chosen ones')
  await within(owners).findByRole('option', { name: 'Hugo' })
  await userEvent.selectOptions(owners, 'Hugo')
  await waitFor(() => expect(kept.done.map((one) => one.owner)).toEqual(['hugo']))
  expect(kept.done[0]?.entries.map((one) => one.ticket)).toEqual([1, 3])
})

it('has no row move while entries are chosen: what can be done stands behind them', async () => {
  waiting()
  open('/queue')
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Choose RT-1' }))
  const bar = await screen.findByRole('toolbar', { name: 'What to do with the chosen ones' })
  expect(bar.compareDocumentPosition(screen.getByRole('table'))).toBe(Node.DOCUMENT_POSITION_PRECEDING)
  await userEvent.click(within(bar).getByRole('button', { name: 'Choose none' }))
  expect(screen.queryByRole('toolbar')).toBeNull()
})

it("keeps a filter under a name, says whose views are used, and has nobody delete another's", async () => {
  const filter = {
    ...{ status: [], severity: [], owner: null, unowned: false, system: null, user: null, project: null },
    ...{ application: null, rule: null, job: null, older_than_h: null, words: '' },
  }
  const views: SavedView[] = [
    { id: 1, name: 'all', owner: 'hugo', shared: true, sort: 'urgency', filter },
    {
      id: 2,
      name: 'mine',
      owner: 'ada',
      shared: false,
      sort: 'urgency',
      filter: { ...filter, words: 'x' },
    },
  ]
  let refuse = true
  waiting({
    'GET /api/v1/queue/views': () => Response.json(views),
    'POST /api/v1/queue/views': async (request) => {
      const { name, shared, sort, filter: asked } = (await request.json()) as SavedView
      if (refuse) return problem(507, 'No room', 'The disk is full.')
      views.push({ id: 3, name, owner: 'ada', shared, sort, filter: { ...filter, ...asked } })
      return Response.json(views.at(-1), { status: 201 })
    },
  })
  open('/queue?status=all')
  const saved = await screen.findByLabelText('Saved views')
  await waitFor(() => expect(saved).toHaveDisplayValue('all (of hugo)'))
  expect(screen.queryByRole('button', { name: 'Delete view' })).toBeNull()
  await userEvent.selectOptions(saved, 'mine')
  expect(await screen.findByRole('button', { name: 'Delete view' })).toBeVisible()
  // Another filter is another view, or none.
  await userEvent.selectOptions(screen.getByLabelText('Owner'), 'Hugo')
  await waitFor(() => expect(saved).toHaveDisplayValue('saved views'))
  await userEvent.click(screen.getByRole('button', { name: 'Save view' }))
  expect(screen.getByLabelText('Name of the view')).toHaveFocus()
  await userEvent.keyboard('of Hugo{Enter}')
  expect(await screen.findByText(/The disk is full/)).toBeVisible()
  refuse = false
  await userEvent.click(screen.getByRole('button', { name: 'Keep' }))
  await waitFor(() => expect(saved).toHaveDisplayValue('of Hugo'))
  expect(screen.getByRole('button', { name: 'Save view' })).toHaveFocus()
})

it('tells users that it is not for them, and where theirs is', async () => {
  serve({ 'GET /api/v1/info': INFO, 'GET /api/v1/me': me({ role: 'user' }) })
  open('/queue')
  expect(await screen.findByRole('heading', { name: 'That is where the helpdesk works.' })).toBeVisible()
  expect(screen.queryByRole('link', { name: 'Queue' })).toBeNull()
})

it('marks a case that could not be diagnosed as failed, as the list of cases does', async () => {
  const failed: QueueEntry = {
    ...entry(1, 'new'),
    case_status: 'failed',
    severity: null,
    headline: null,
    title: 'hello.txt',
  }
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/views': [],
    'GET /api/v1/queue/people': [],
    'GET /api/v1/queue': { entries: [failed], next: null, counts: null, newest: null },
    'GET /api/v1/cases/case1/reply': { form: 'markdown', template: 'english', findings: [], text: '' },
  })
  open('/queue')
  expect(await lookedAt()).toHaveTextContent('Could not be diagnosed; its page says why')
  const preview = within(screen.getByRole('complementary'))
  expect(preview.getByText('failed')).toBeVisible()
  expect(within(screen.getByRole('table')).getByText('failed')).toBeVisible()
})

it('says which file could not be read, and has a reply to who sent it', async () => {
  const unread = 'thesis.pdf: a PDF document, not a log that we know'
  const failed: QueueEntry = {
    ...entry(1, 'new'),
    ...{ case_status: 'failed', severity: null, headline: null, unread },
  }
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/views': [],
    'GET /api/v1/queue/people': [],
    'GET /api/v1/queue': { entries: [failed], next: null, counts: null, newest: null },
    'GET /api/v1/cases/case1/reply': {
      form: 'markdown',
      template: 'english',
      findings: [],
      text: 'We could not read what you sent:',
    },
  })
  open('/queue')
  expect(await lookedAt()).toHaveTextContent(unread)
  const preview = within(screen.getByRole('complementary'))
  expect(await preview.findByText('We could not read what you sent:')).toBeVisible()
})

it('says what could not be read beside what was', async () => {
  const unread = 'thesis.pdf: a PDF document, not a log that we know'
  const both: QueueEntry = { ...entry(1, 'new'), unread }
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me(),
    'GET /api/v1/queue/views': [],
    'GET /api/v1/queue/people': [],
    'GET /api/v1/queue': { entries: [both], next: null, counts: null, newest: null },
    'GET /api/v1/cases/case1/reply': { form: 'markdown', template: 'english', findings: [], text: 'Hello' },
  })
  open('/queue')
  expect(await lookedAt()).toHaveTextContent('Sentence 1')
  expect(within(screen.getByRole('complementary')).getByText(`Not read: ${unread}`)).toBeVisible()
  expect(within(screen.getByRole('table')).getByText(`Not read: ${unread}`)).toBeVisible()
})

it('says the seconds once, in their own column', () => {
  const one = {
    ...entry(1, 'new'),
    headline: "Each rank opens its files. That takes 5 min of the run's 9 min.",
    sentence: 'Each rank opens its files.',
  }
  expect(briefly({ ...one, lost_s: 300 })).toBe('Each rank opens its files.')
  expect(briefly({ ...one, lost_s: 300, sentence: null })).toMatch(/^Each rank .*9\u00a0min\.$/)
  expect(briefly(one)).toBe("Each rank opens its files. That takes 5\u00a0min of the run's 9\u00a0min.")
})

it('unfolds an entry below its row where there is no room beside the list', async () => {
  waiting()
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: () => {},
    removeEventListener: () => {},
  }))
  open('/queue?status=new')
  expect(await screen.findByText('Sentence 2')).toBeVisible()
  expect(screen.queryByRole('complementary')).toBeNull()
  await userEvent.click(screen.getAllByRole('row')[2] as HTMLElement)
  expect(await lookedAt()).toHaveTextContent('Sentence 2')
  const rows = screen.getAllByRole('row')
  expect(rows[3]).toContainElement(screen.getByRole('complementary'))
})
