import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Comparison } from '../api/types'
import { INFO, open, problem, serve } from '../test/router'
import { textOf } from '../test/text'

type Run = Comparison['runs'][number]

const run = (label: string, given: Partial<Run>): Run => ({
  label,
  title: `run ${label}`,
  case: label.charCodeAt(0) - 65,
  job_id: null,
  processes: 8,
  nodes: 2,
  runtime_s: null,
  io_time_s: 6,
  io_time_at_least_s: null,
  io_time_at_most: false,
  io_time_least_s: null,
  rate_at_least: false,
  rate: 100 * 2 ** 20,
  rate_of: 'io.bandwidth',
  pattern: null,
  stripes: null,
  stripes_in_words: null,
  headline: 'Something is wrong.',
  short: false,
  ...given,
})

const CHANGE: Comparison = {
  version: 1,
  kind: 'change',
  sentence:
    'B does its I/O 4.0 times faster (6.00 s → 1.50 s); changed: romio_cb_write disable → enable; gone: small writes.',
  sentences: [
    'B does its I/O 4.0 times faster (6.00 s → 1.50 s).',
    'Changed: romio_cb_write disable → enable.',
    'Gone: small writes.',
  ],
  note: 'Two settings changed together: the figures do not say which of them did it.',
  outcome: 'better',
  usual: {
    factor: 1.05,
    stated_by: { document: 'theta-io', section: 'Darshan profiling', says: 'Four to five per cent.' },
    site_says: null,
    moved_from: null,
  },
  moved: [],
  threshold_ids: ['jitter.usual', 'small-io.fraction'],
  runs: [run('A', {}), run('B', { io_time_s: 1.5, rate: 400 * 2 ** 20 })],
  steps: [
    {
      run: 1,
      against: 0,
      outcome: 'better',
      basis: 'time',
      measured: 'time',
      factor: 4,
      factor_most: null,
      sentence: '',
      sentences: [''],
      note: null,
      changed: ['romio_cb_write disable → enable'],
      gone: ['small-io'],
      came: [],
      stayed: [],
      undecided: [],
      causes: [
        { rule: 'small-io', title: 'Many small accesses', answer: 'confirmed', because: 'It is gone.' },
      ],
    },
  ],
  best: null,
  settings: [
    ...['interface', 'collective calls'].map((name) => ({
      kind: 'calls' as const,
      name,
      meaning: null,
      values: [
        { value: 'none', confidence: 'measured' as const },
        { value: 'all', confidence: 'measured' as const },
      ],
      changed: true,
      counted: false,
    })),
    {
      kind: 'hint',
      name: 'romio_cb_write',
      meaning: 'collective buffering of writes',
      values: [
        { value: 'disable', confidence: 'measured' },
        { value: 'enable', confidence: 'measured' },
      ],
      changed: true,
      counted: false,
    },
    {
      kind: 'striping',
      name: 'stripe count',
      meaning: null,
      values: [
        { value: '4 stripes', confidence: 'measured' },
        { value: null, confidence: null },
      ],
      changed: false,
      counted: false,
    },
  ],
  metrics: [
    {
      id: 'job.io_time',
      title: 'I/O time of the slowest rank',
      unit: 's',
      direction: 'lower',
      values: [6, 1.5],
      bounds: [null, null],
      changes: ['same', 'better'],
    },
    {
      id: 'posix.reads',
      title: 'POSIX reads',
      unit: 'calls',
      direction: 'lower',
      values: [0, 12],
      bounds: [null, null],
      changes: ['same', 'worse'],
    },
  ],
  findings: [
    {
      rule: 'small-io',
      title: 'Many small accesses',
      states: [
        { verdict: 'triggered', severity: 'high', cause: true },
        { verdict: 'clear', severity: null, cause: false },
      ],
    },
  ],
  run_set: [],
}

const inside = (kind: Comparison['kind'], runs: Run[]): Comparison => ({
  ...CHANGE,
  kind,
  sentence: 'What the set says.',
  sentences: ['What the set says.'],
  runs: runs.map((r) => ({ ...r, case: 0, rate_of: 'benchmark.write_bandwidth' })),
  steps: [],
  settings: [],
  metrics: [],
  findings: [],
})

const LIST = { total: 0, cases: [] }
const CASE = {
  id: 'c',
  created_at: '2026-11-20T09:00:00Z',
  status: 'ready',
  title: 'third',
  job_id: '17',
  executable: null,
  headline: 'Nothing wrong.',
  severity: 'clear',
  nprocs: 8,
  io_time_s: 1,
  io_time_fraction: 0.1,
  sample: false,
}

describe('the page of a comparison', () => {
  beforeEach(() => {
    localStorage.clear()
    serve({ 'GET /api/v1/info': INFO, 'GET /api/v1/cases': LIST, 'GET /api/v1/compare': CHANGE })
  })

  it('says the verdict first, then what was changed, what became of the figures, and which findings went', async () => {
    open('/compare?cases=a,b')
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
      'B does its I/O 4.0 times faster (6.00 s → 1.50 s).',
    )
    expect(screen.getByText(/the figures do not say which/)).toBeVisible()
    const settings = screen.getByRole('table', { name: 'Settings of the runs' })
    expect(within(settings).getByRole('row', { name: /romio_cb_write disable enable/ })).toBeVisible()
    expect(within(settings).queryByRole('row', { name: /stripe count/ })).toBeNull()
    // What several of them are is said once.
    expect(within(settings).getAllByText('how the I/O is done')).toHaveLength(1)
    const figure = screen.getByRole('figure', { name: 'What became of the figures from A to B?' })
    expect(textOf(figure)).toContain('Of 2 figures that differ, 1 is better, 1 is worse.')
    expect(textOf(figure)).not.toMatch(/NaN|Infinity|undefined/)
    expect(screen.getByRole('row', { name: /Many small accesses.*high.*clear.*gone/ })).toBeVisible()
    expect(screen.getByRole('row', { name: /Many small accesses.*confirmed/ })).toBeVisible()
  })

  it('gives each of several runs its own sentence, with what must be known beside it', async () => {
    const [step] = CHANGE.steps
    if (!step) throw new Error('the fixture has a step')
    serve({
      'GET /api/v1/info': INFO,
      'GET /api/v1/compare': {
        ...CHANGE,
        sentences: ['B is better than A, and C cannot be compared with A.'],
        note: null,
        runs: [...CHANGE.runs, run('C', {})],
        steps: [
          { ...step, sentences: ['B does its I/O 4.0 times faster.', 'Gone: small writes.'] },
          {
            ...step,
            run: 2,
            sentences: ['C and A cannot be compared by time (no end; no records).'],
            note: 'They are not the same program.',
            causes: [],
          },
        ],
      },
    })
    open('/compare?cases=a,b,c')
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
      'B is better than A, and C cannot be compared with A.',
    )
    const each = within(screen.getByRole('list', { name: 'Each run against the first' })).getAllByRole(
      'listitem',
    )
    expect(each.map(textOf)).toEqual([
      'B does its I/O 4.0 times faster.Gone: small writes.',
      'C and A cannot be compared by time (no end; no records).They are not the same program.',
    ])
  })

  it('shows what is known of one run only as not known of the other, when asked', async () => {
    open('/compare?cases=a,b')
    await userEvent.click(
      await screen.findByRole('button', { name: /1 setting is the same, or known of one run only/ }),
    )
    expect(screen.getByRole('row', { name: /stripe count 4 stripes not known/ })).toBeVisible()
  })

  it.each([
    [
      'scaling',
      'Does the rate grow with the ranks?',
      [{ processes: 8 }, { processes: 32, rate: 2 ** 27 }],
      '8',
    ],
    [
      'striping',
      'Which stripe count is best?',
      [{ stripes_in_words: '1 stripe' }, { stripes_in_words: 'all OSTs', rate: 2 ** 28 }],
      'all OSTs: 256 MiB/s',
    ],
    ['repeats', 'How much do equal runs differ?', [{}, { rate: 2 ** 28 }], '1 run below what is usual'],
  ] as const)('draws a set of kind %s', async (kind, question, runs, words) => {
    serve({
      'GET /api/v1/info': INFO,
      'GET /api/v1/compare': inside(
        kind,
        runs.map((given, i) => run(String.fromCharCode(65 + i), given)),
      ),
    })
    open('/compare?cases=a&within=1')
    const figure = await screen.findByRole('figure', { name: question })
    expect(textOf(figure)).toContain(words)
    expect(figure.innerHTML).not.toMatch(/NaN|Infinity/)
  })

  it.each([
    [[], false],
    [[{ source: 0, part: { kind: 'benchmark_run' } }], true],
  ])('offers the runs within a case where it is the output of a benchmark: %j', async (texts, offered) => {
    serve({
      'GET /api/v1/info': INFO,
      'GET /api/v1/cases': { total: 1, cases: [CASE] },
      'GET /api/v1/cases/c': { ...CASE, sources: [], document: { job: { job_id: null }, texts } },
    })
    open('/compare?cases=c')
    expect(await screen.findByText(/^One run is chosen: “third/)).toBeVisible()
    expect(screen.queryAllByRole('link', { name: 'compare the runs within it' })).toHaveLength(
      offered ? 1 : 0,
    )
  })

  it('says which run is chosen, and has it first in the list', async () => {
    serve({
      'GET /api/v1/info': INFO,
      'GET /api/v1/cases': { total: 2, cases: [{ ...CASE, id: 'a', title: 'first' }, CASE] },
      'GET /api/v1/cases/c': { ...CASE, sources: [], document: null },
    })
    open('/compare?cases=c')
    expect(await screen.findByText(/^One run is chosen: “third/)).toBeVisible()
    const [first] = await screen.findAllByRole('checkbox')
    expect(first).toBeChecked()
    await userEvent.type(screen.getByLabelText('Filter cases'), 'first')
    expect(screen.getAllByRole('checkbox')).toHaveLength(2)
    expect(screen.queryByText(/^No /)).toBeNull()
    await userEvent.type(screen.getByLabelText('Filter cases'), ' of none')
    expect(screen.getByRole('checkbox')).toBeChecked()
    expect(screen.getByText('No case has “first of none” in its job, program or sentence.')).toBeVisible()
  })

  it('has other runs of the program of the chosen one before those of other programs', async () => {
    const run = (id: string, title: string, executable: string | null) => ({ ...CASE, id, title, executable })
    serve({
      'GET /api/v1/info': INFO,
      'GET /api/v1/cases': {
        total: 4,
        cases: [
          run('a', 'newest', '/opt/other'),
          run('b', 'later', '/work/new/model'),
          run('c', 'third', '/work/old/model'),
          run('d', 'a text', null),
        ],
      },
      'GET /api/v1/cases/c': { ...CASE, sources: [], document: null },
    })
    open('/compare?cases=c')
    expect(await screen.findByText(/runs of/)).toHaveTextContent(
      'runs of model stand before those of other programs',
    )
    const titles = screen
      .getAllByRole('listitem')
      .map((one) => /third|later|newest|a text/.exec(one.textContent ?? '')?.[0])
    expect(titles.filter(Boolean)).toEqual(['third', 'later', 'newest', 'a text'])
  })

  it('lets cases be chosen, and keeps the choice in the address', async () => {
    serve({
      'GET /api/v1/info': INFO,
      'GET /api/v1/cases': { total: 1, cases: [CASE] },
      'GET /api/v1/compare': CHANGE,
    })
    const { router } = open('/compare?cases=a')
    await userEvent.click(await screen.findByRole('checkbox', { name: /third/ }))
    await screen.findByRole('heading', { level: 1, name: /4.0 times faster/ })
    expect(router.state.location.searchStr).toBe('?choose=true&cases=a,c')
  })

  const SMALL_IO = {
    id: 'small-io.fraction',
    rule: 'small-io',
    title: 'Small accesses',
    unit: 'share',
    value: 0.8,
    default: 0.1,
    stated_by: { document: 'project', section: 'test', says: 'A number.' },
    minimum: 0,
    maximum: 1,
    scale: 'linear',
    site_says: null,
    moved_from: 0.1,
  } as const

  it('is decided by the numbers and the site of the address, says so, and leads back', async () => {
    const asked = serve({
      'GET /api/v1/info': INFO,
      'GET /api/v1/compare': ({ url }) =>
        Response.json(url.includes('set=') ? { ...CHANGE, moved: [SMALL_IO] } : CHANGE),
    })
    const { router } = open('/compare?cases=a,b&site=archer2&set=small-io.fraction:0.8')
    const own = await screen.findByRole('region', { name: 'By whose numbers' })
    expect(own).toHaveTextContent("Decided for ARCHER2 (EPCC) instead of the runs' own sites.")
    expect(textOf(own)).toContain('Small accesses: 10 % → 80 %')
    const urls = asked
      .map((request) => new URL(request.url))
      .filter((url) => url.pathname.endsWith('/compare'))
    expect(urls.map((url) => Object.fromEntries(url.searchParams))).toEqual([
      { cases: 'a,b', site: 'archer2', set: 'small-io.fraction:0.8' },
    ])
    expect(screen.getByRole('link', { name: 'run A' })).toHaveAttribute(
      'href',
      '/cases/a?site=archer2&set=small-io.fraction:0.8',
    )
    await userEvent.click(within(own).getByRole('link', { name: "Back to the documents' values" }))
    await waitFor(() => expect(router.state.location.searchStr).toBe('?cases=a,b&site=archer2'))
    await userEvent.click(await screen.findByRole('link', { name: 'Back to their own' }))
    await waitFor(() => expect(screen.queryByRole('region', { name: 'By whose numbers' })).toBeNull())
    expect(router.state.location.searchStr).toBe('?cases=a,b')
  })

  it('offers the numbers kept in this browser, those that there are', async () => {
    localStorage.setItem('iotriage.thresholds', JSON.stringify({ 'small-io.fraction': 0.8, gone: 1 }))
    serve({
      'GET /api/v1/info': INFO,
      'GET /api/v1/compare': ({ url }) =>
        Response.json(url.includes('set=') ? { ...CHANGE, moved: [SMALL_IO] } : CHANGE),
    })
    const { router } = open('/compare?cases=a,b')
    await userEvent.click(await screen.findByRole('link', { name: 'Use my 1 number' }))
    expect(await screen.findByText('These are the numbers you keep in this browser.')).toBeVisible()
    expect(router.state.location.searchStr).toBe('?cases=a,b&set=small-io.fraction:0.8')
  })

  it('says which threshold there is not, and leads on', async () => {
    serve({
      'GET /api/v1/info': INFO,
      'GET /api/v1/compare': ({ url }) =>
        url.includes('set=')
          ? problem(422, 'There is no such threshold', 'gone is not a threshold of these rules.')
          : Response.json(CHANGE),
    })
    open('/compare?cases=a,b&set=gone:1')
    expect(await screen.findByRole('alert')).toHaveTextContent('gone is not a threshold of these rules.')
    await userEvent.click(screen.getByRole('link', { name: /documents' values/ }))
    expect(await screen.findByRole('heading', { level: 1, name: /4.0 times faster/ })).toBeVisible()
  })

  it('says what to do where there is no case to choose', async () => {
    open('/compare')
    expect(await screen.findByText(/There is no case yet/)).toBeVisible()
  })

  it('says why a comparison is refused', async () => {
    serve({
      'GET /api/v1/info': INFO,
      'GET /api/v1/compare': () => problem(409, 'There is nothing to compare', 'Give two runs or more.'),
    })
    open('/compare?cases=a&within=1')
    expect(await screen.findByRole('alert')).toHaveTextContent('Give two runs or more.')
  })
})
