import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { INFO, open, serve } from '../../test/router'

/** Of a day of which nothing stands out. */
const REPORT = {
  period: { kind: 'day', first: '2026-11-21', last: '2026-11-21' },
  filter: { file_system: null, project: null, user: null, application: null },
  before: [],
  headline: 'Nobody needs a call.',
  summary: '',
  unseen: 'Only what left a log is here.',
  sections: [],
  trend: { days: ['2026-11-21'], series: [], unread: [] },
  histograms: [],
  distributions: [],
  choices: { file_systems: [], projects: [], users: [], applications: [] },
}

const TITLES: Readonly<Record<string, readonly string[]>> = {
  'slow-mounts': ['mount', 'users', 'rate of before', 'began', 'ended', 'site'],
  'slow-osts': ['OST', 'mount', 'users', 'logs', 'slowness', 'began', 'who', 'site'],
  causes: ['rule', 'jobs', 'users', 'process-hours'],
  coverage: ['what', 'all', 'with a log', 'share'],
}
const section = (id: string, theme: string, rows: readonly (readonly unknown[])[]) => ({
  id,
  theme,
  title: id,
  note: '',
  none: `no ${id}`,
  columns: (TITLES[id] ?? ['what', 'logs']).map((title) => ({ title, unit: 'text' })),
  rows,
  logs: rows.map(() => null),
})

it('says of a day without logs no more than how complete it is, though days before have some', async () => {
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/centre': { days: ['2026-11-19'], rules: [] },
    'GET /api/v1/centre/reports/2026-11-21': {
      ...REPORT,
      before: ['2026-11-19'],
      headline: 'There are no logs of 21 November 2026 that could be read.',
      sections: [section('completeness', 'complete', [['files', 0]]), section('causes', 'causes', [])],
      trend: { days: ['2026-11-19'], series: [], unread: [] },
      histograms: [{ id: 'collective', theme: 'collective', title: 'How much?', note: '', bins: [], of: 0 }],
    },
  })
  open('/centre/2026-11-21')
  expect(await screen.findByRole('heading', { name: 'How complete is this?' })).toBeVisible()
  expect(screen.getAllByText('Only what left a log is here.')).toHaveLength(1)
  expect(screen.queryByRole('heading', { name: 'Why is time lost?' })).toBeNull()
})

it('says who loses how much to all findings, apart from those who are to be called', async () => {
  const io = { id: 'io-share', theme: 'spread', title: 'Share in I/O', note: '', bins: [], of: 3 }
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/centre': { days: ['2026-11-21'], rules: [] },
    'GET /api/v1/centre/reports/2026-11-21': {
      ...REPORT,
      sections: [section('help', 'help', []), section('losing-projects', 'help', [['astro', 12]])],
      histograms: [io],
    },
  })
  open('/centre/2026-11-21')
  const part = await screen.findByRole('region', { name: 'Who loses how much?' })
  expect(within(part).getByText('astro')).toBeVisible()
  expect(within(part).queryByText('no help')).toBeNull()
})

it('leads from a day without logs to the nearest that have some, and says once that there are none', async () => {
  const headline = 'There are no logs of 21 November 2026 that could be read.'
  const days = ['2026-11-09', '2026-11-19', '2026-11-24', '2026-11-25']
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/centre': { days, rules: [] },
    'GET /api/v1/centre/reports/2026-11-21': {
      ...REPORT,
      headline,
      summary: 'Logs were last taken in on 20 November 2026 at 05:00 UTC, before the day had ended.',
      trend: { days: [], series: [], unread: [] },
    },
  })
  open('/centre/2026-11-21')
  expect(await screen.findByRole('heading', { level: 1, name: headline })).toBeVisible()
  expect(screen.getByText(/Logs were last taken in on 20 November/)).toBeVisible()
  expect(await screen.findByRole('link', { name: /19 Nov/ })).toHaveAttribute('href', '/centre/2026-11-19')
  expect(screen.getByRole('link', { name: /24 Nov/ })).toHaveAttribute('href', '/centre/2026-11-24')
  expect(screen.getAllByText(headline)).toHaveLength(1)
})

const OF_THETA = [14, '/scratch', 3, 5, 4.2, '2026-11-21', 'the machine', 'theta']

it.each([
  ['one site', [], [], 'Slow: OST 14 of /scratch, for 3 users.'],
  [
    'a file system that was slow',
    [],
    [['/work', 31, 0.4, '2026-11-09', '2026-11-15', 'archer2']],
    'Slow: OST 14 of /scratch, for 3 users; /work until 15 Nov, for 31 users.',
  ],
  [
    'two sites with one mount point',
    [OF_THETA],
    [],
    'Slow: OST 14 of /scratch at archer2, for 3 users; OST 14 of /scratch at theta, for 3 users.',
  ],
])('answers on top, a line each, what staff ask first: %s', async (_, others, mounts, slow) => {
  const histogram = { id: 'collective', theme: 'collective', title: 'How much?', note: '', bins: [], of: 1 }
  const of = (id: string, theme: string, rows: readonly (readonly unknown[])[]) => ({
    ...section(id, theme, rows),
    logs: rows.map(() => null),
  })
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/centre': { days: ['2026-11-21'], rules: [] },
    'GET /api/v1/centre/reports/2026-11-21': {
      ...REPORT,
      sections: [
        of('slow-osts', 'machine', [[...OF_THETA.slice(0, 7), 'archer2'], ...others]),
        of('slow-mounts', 'machine', mounts),
        of('causes', 'causes', [
          ['serial-io', 7, 2, 31.5],
          ['small-io', 1, 1, null],
        ]),
        of('completeness', 'complete', [
          ['files', 9],
          ['read', 7],
          ['of these: lacking records (lower bounds)', 1],
          ['failed: cut', 2],
          ['jobs', 6],
        ]),
        of('coverage', 'complete', [
          ['jobs', 9, 6, 0.67],
          ['node-hours', 100, 47, 0.47],
        ]),
      ],
      histograms: [histogram],
    },
  })
  open('/centre/2026-11-21')
  const answer = async (question: string) =>
    (await screen.findByRole('link', { name: question })).closest('div')?.lastChild?.textContent
  expect(await answer('Is it the machine?')).toBe(slow)
  expect(await answer('Why is time lost?')).toMatch(/^serial-io\s31\.5\sprocess.h\s·\ssmall-io\s1\sjob$/)
  expect(await answer('How complete is this?')).toMatch(
    /^7 of the 9 logs were read, of 6 jobs; 2 could not be read, and 1 lacks records\. They cover 47\s% of the node-hours\.$/,
  )
  expect(screen.getAllByRole('heading', { level: 2 }).at(-1)).toHaveTextContent('How complete is this?')
})

it.each([
  ['1 day is left out', ['2026-11-20']],
  ['2 days are left out', ['2026-11-19', '2026-11-20']],
])('says of the year how much it lacks: %s', async (said, unread) => {
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/centre': { days: ['2026-11-21'], rules: [] },
    'GET /api/v1/centre/reports/2026-11-21': {
      ...REPORT,
      histograms: [{ id: 'collective', theme: 'collective', title: 'How much?', note: '', bins: [], of: 1 }],
    },
    'GET /api/v1/centre/trend': { days: ['2026-11-21'], series: [], unread },
  })
  open('/centre/2026-11-21')
  fireEvent.click(await screen.findByRole('button', { name: 'Show the year' }))
  expect(await screen.findByText(said)).toBeVisible()
})
