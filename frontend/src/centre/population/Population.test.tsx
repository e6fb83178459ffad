import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { textWidth } from '../../charts/frame/text'
import { me } from '../../test/me'
import { INFO, open, serve } from '../../test/router'

const THRESHOLD = {
  id: 'small-io.fraction',
  title: 'Share of small calls',
  default: 0.5,
  unit: 'share',
  stated_by: { document: 'project', section: 'small', says: 'ours' },
  minimum: 0,
  maximum: 1,
  scale: 'linear',
}
const RULE = {
  id: 'small-io',
  title: 'Small accesses',
  clear_title: 'Accesses are large',
  scope: 'group',
  severity: 'medium',
  confidence: 'measured',
  explains: [],
  explained_by: [],
  requires: { kind: 'all_of', of: [] },
  condition: { kind: 'compare', metric: 'posix.small', operator: '>=', threshold: THRESHOLD.id },
  supports: [],
  thresholds: [THRESHOLD],
  citations: [],
  documents: [],
  quotations: [],
  page: '# small-io\n\nSmall accesses.',
}
const POPULATION = {
  rule: 'small-io',
  threshold: THRESHOLD.id,
  metrics: ['posix.small'],
  direction: 'above',
  scale: 'linear',
  logs: 20_000,
  deciding: 300,
  always: 0,
  low: 0,
  high: 1,
  bins: [
    { low: 0, high: 0.5, logs: 200 },
    { low: 0.5, high: 1, logs: 100 },
  ],
  values: [{ site: 'archer2', value: 0.5 }],
  lacking: [],
}
const counts = (jobs: number) => ({
  logs: jobs,
  jobs,
  users: 3,
  node_hours: 12.4,
  logs_without_nodes: 0,
  helped: 2,
  did_not_help: 1,
})
const moved = (request: Request) => {
  const value = Number(new URL(request.url).searchParams.get('value'))
  const log = { day: '2026-11-20', log: 'ab', job_id: '7001', user: 1, executable: '/bin/sim', figure: 0.45 }
  const fewer = value > 0.5
  return Response.json({
    value,
    in_force: counts(100),
    moved: counts(fewer ? 90 : 100),
    appearing: 0,
    dropping: fewer ? 10 : 0,
    appear: [],
    drop: fewer ? [log] : [],
  })
}
const BASE = '/api/v1/centre/population/small-io/small-io.fraction'
const standing = (high: number) => ({
  findings: 100,
  alone: 80,
  high,
  medium: 60,
  low: 10,
  leading: 40,
  takes_s: 7200,
})
const SETTLED = {
  value: 0.6,
  logs: 10,
  led_by_another: 4,
  rules: [{ rule: 'small-io', in_force: standing(12), moved: standing(9) }],
  unjudged: [],
}
const SERVED = {
  'GET /api/v1/info': INFO,
  'GET /api/v1/me': me({ role: 'admin' }),
  'GET /api/v1/rules': [RULE],
  'GET /api/v1/rules/small-io': RULE,
  'GET /api/v1/sites': [],
  'GET /api/v1/own-profiles': { not_kept: null, profiles: [] },
  'GET /api/v1/centre': { has_warehouse: true, days: ['2026-11-19', '2026-11-20'] },
  [`GET ${BASE}`]: POPULATION,
  [`GET ${BASE}/moved`]: moved,
  [`GET ${BASE}/settled`]: SETTLED,
}

it('a threshold is moved by keys, and says what drops out', async () => {
  serve(SERVED)
  open('/rules/small-io')
  await screen.findByText('The distribution as a table')
  const line = screen.getByRole('slider', { name: 'Share of small calls' })
  expect(line).toHaveAttribute('aria-valuenow', '0.5')
  line.focus()
  await userEvent.keyboard('{PageUp}')
  expect(Number(line.getAttribute('aria-valuenow'))).toBeGreaterThan(0.5)
  const dropped = await screen.findByRole('region', { name: 'Drop out' })
  await waitFor(() => expect(within(dropped).getByText(/job 7001/)).toBeVisible())
  expect(screen.getByRole('row', { name: /in force now 100/ })).toBeVisible()
  const all = await screen.findByRole('region', { name: 'All findings, settled again' })
  expect(await within(all).findByRole('cell', { name: '12 → 9' })).toBeVisible()
  expect(within(all).getByText(/10 logs settled again; of 4 another finding is the first/)).toBeVisible()
})

it('names logs in full, however many there are', async () => {
  const bins = [{ low: 0, high: 0.5, logs: 1_200_000 }]
  serve({ ...SERVED, [`GET ${BASE}`]: { ...POPULATION, logs: 1_200_000, deciding: 1_200_000, bins } })
  open('/rules/small-io')
  const named = await screen.findByText('1,000,000', { selector: 'text' })
  expect(Number(named.getAttribute('x'))).toBeGreaterThanOrEqual(textWidth('1,000,000'))
})

it('the number found is kept with its reason', async () => {
  const asked = serve({ ...SERVED, 'PUT /api/v1/sites/archer2/thresholds/small-io.fraction': {} })
  open('/rules/small-io')
  await userEvent.type(await screen.findByLabelText('Why this number'), 'half our jobs')
  await userEvent.click(screen.getByRole('button', { name: /^Keep/ }))
  expect(await screen.findByText(/is in the profile of archer2/)).toBeVisible()
  const put = asked.find((request) => request.method === 'PUT')
  expect(await put?.json()).toMatchObject({ value: 0.5, why: 'half our jobs' })
})

it('who has no warehouse, or helps nobody, sees nothing of it', async () => {
  serve({ ...SERVED, 'GET /api/v1/me': { ...SERVED['GET /api/v1/me'], role: 'user' } })
  open('/rules/small-io')
  expect(await screen.findByRole('heading', { name: 'Thresholds' })).toBeVisible()
  expect(screen.queryByText("On this centre's jobs")).toBeNull()
})

it('draws nothing where the number decides on no log, and says so', async () => {
  const none = { ...POPULATION, logs: 50, deciding: 0, always: 1 }
  serve({ ...SERVED, [`GET ${BASE}`]: none })
  open('/rules/small-io')
  const said = await screen.findByText(/this number decides on none/)
  expect(said).toHaveTextContent('Of 50 logs this number decides on none: 1 is flagged whatever it is.')
  expect(screen.queryByRole('slider')).toBeNull()
  expect(screen.getByRole('button', { name: /^Keep/ })).toBeVisible()
})

it('node-hours of logs that state no nodes are not none', async () => {
  const without = { ...counts(5), node_hours: 0, logs_without_nodes: 5 }
  serve({
    ...SERVED,
    [`GET ${BASE}/moved`]: {
      value: 0.5,
      in_force: without,
      moved: { ...counts(5), node_hours: 2.5, logs_without_nodes: 1 },
      appearing: 0,
      dropping: 0,
      appear: [],
      drop: [],
    },
  })
  open('/rules/small-io')
  expect(await screen.findByRole('row', { name: 'in force now 5 3 not known 2 1' })).toBeVisible()
  expect(screen.getByRole('row', { name: /^with .* 5 3 ≥ 2\.5 2 1$/ })).toBeVisible()
  expect(screen.getByText(/leave out 1 log of 5, which does not state its nodes/)).toBeVisible()
})
