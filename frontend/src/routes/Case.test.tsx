import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { saidOf } from '../analysis/headline'
import type { CaseView } from '../api/types'
import { nothingToDraw } from '../fixtures/invented'
import { everyKind, independentSmall, manySmallFiles, oneAggregatorStats } from '../fixtures/stored'
import { unbroken } from '../format'
import { caseView } from '../test/caseView'
import { EMPTY_SERVER, open, problem, serve } from '../test/router'

const none = { value: null, files: 0 }
const NO_SUMS = { bytes_read: none, bytes_written: none, time_s: none }
/** Groups of files with the figures of one that is there. */
const likeGroup = (id: string, ...ids: readonly string[]) =>
  independentSmall.groups
    .filter((group) => group.id === id)
    .flatMap((group) => ids.map((other) => ({ ...group, id: other })))
/** By text and not by role: names of roles are slow to compute on a page of this size. */
const headline = (words: string | RegExp) => screen.findByText(words, { selector: 'h1' })
/** Its part of the page is fetched by itself: who comes first waits for it. */
const findings = async () =>
  (await screen.findByText('What is wrong, and how sure')).closest('section') as HTMLElement

/** Under these no rank's pieces lie apart. */
const MOVED = 'independent-shared.consecutive-fraction:0,independent-shared.misaligned-fraction:1'

describe('a case', () => {
  it('says the sentence, what to do and the command', async () => {
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView({ document: oneAggregatorStats }) })
    open('/cases/a1')
    const { sentence, action, command } = oneAggregatorStats.headline
    expect(await headline(sentence)).toBeVisible()
    expect(screen.queryByText(/judged with/)).toBeNull()
    // An option of a command in it is whole at a line's end.
    const [toDo] = screen.getAllByText(
      (_, at) => at?.tagName === 'P' && at.textContent === unbroken(action ?? ''),
    )
    expect(toDo).toBeVisible()
    const options = [...(toDo?.querySelectorAll('.nowrap') ?? [])].map((option) => option.textContent)
    expect(options).toEqual((action ?? '').match(/(?<=\s)-[a-z](?!\w)/g) ?? [])
    expect(options).toContain('-d')
    // A word of it that could be broken within is an element of its own.
    const shown = screen.getAllByText((_, at) => at?.tagName === 'CODE' && at.textContent === command)
    expect(shown[0]).toBeVisible()
    expect(document.title).toContain(sentence)
  })

  it('names the view in the title of the window, which a phone and a row of tabs show', async () => {
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView({ document: oneAggregatorStats }) })
    open('/cases/a1/triage')
    const title = (named: string) => `${named}: ${saidOf(oneAggregatorStats.headline)} · IOtriage`
    const { title: job } = caseView({ document: oneAggregatorStats })
    await waitFor(() => expect(document.title).toBe(title(`${job}, triage`)))
    fireEvent.click(screen.getByRole('link', { name: 'Diagnosis' }))
    await waitFor(() => expect(document.title).toBe(title(job)))
  })

  it('makes the page of what the evidence holds: a text names the layer, and the figures that it lacks have no line', async () => {
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView({ document: oneAggregatorStats }) })
    open('/cases/a1')
    await headline(oneAggregatorStats.headline.sentence)
    expect(screen.getByLabelText('What the job used')).toHaveTextContent(/LayersMPI-IO/)
    const facts = screen.getByLabelText('The job')
    expect(facts).toHaveTextContent(/Written64\.0/)
    expect(facts).toHaveTextContent(/Ranks256/)
    expect(facts).not.toHaveTextContent(/Run time|Rate|not recorded/)
  })

  it('says what the figure that decides comes to once the cause is gone, and leads to the run that proves it', async () => {
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView({ document: oneAggregatorStats }) })
    open('/cases/a1')
    await headline(oneAggregatorStats.headline.sentence)
    const row = await findings()
    expect(row).toHaveTextContent('After the change, “Aggregators” is over 1.5 ranks; in this run: 1 rank.')
    expect(within(row).getByText('Lines for a run with and a run without the change')).toHaveAttribute(
      'href',
      expect.stringContaining('#next-run'),
    )
  })

  it.each([
    ['all_of', 'is over 1.5 ranks'],
    ['any_of', 'is over 4 ranks'],
  ] as const)(
    'of a figure with two thresholds asks what ends the finding, where %s must hold',
    async (kind, asks) => {
      const { rules, thresholds } = oneAggregatorStats
      const [id, rule] = ['single-aggregator.effective-aggregators', rules['single-aggregator']]
      const least = thresholds[id]
      if (!rule || !least) throw new Error('the fixture has no such rule')
      const to = (threshold: string) =>
        ({ kind: 'compare', metric: 'mpiio.aggregators', operator: '<=', threshold }) as const
      const condition = { kind, of: [to('wide'), to(id)] } as const
      const document = {
        ...oneAggregatorStats,
        rules: { ...rules, 'single-aggregator': { ...rule, condition } },
        thresholds: { ...thresholds, wide: { ...least, id: 'wide', value: 4 } },
      } as unknown as CaseView['document']
      serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView({ document: document }) })
      open('/cases/a1')
      await screen.findAllByText('single-aggregator')
      expect(await findings()).toHaveTextContent(`“Aggregators” ${asks}; in this run: 1 rank.`)
    },
  )

  it('asks for nothing to confirm a finding that only says that the I/O is no matter', async () => {
    const leads = {
      ...oneAggregatorStats,
      rules: Object.fromEntries(
        Object.entries(oneAggregatorStats.rules).map(([id, rule]) => [id, { ...rule, leads: true }]),
      ),
    }
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView({ document: leads }) })
    open('/cases/a1')
    await screen.findAllByText('single-aggregator')
    expect(await findings()).not.toHaveTextContent(/What would confirm it|After the change/)
  })

  it('says that the server has no site of the name in the address, and does not call another one chosen', async () => {
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView({ document: oneAggregatorStats }) })
    open('/cases/a1?site=nowhere')
    await headline(oneAggregatorStats.headline.sentence)
    expect(await screen.findByText(/names the site “nowhere”, which this server does not have/)).toBeVisible()
    expect(screen.queryByText(/Chosen by you|Keep nowhere/)).toBeNull()
    expect(screen.getByLabelText('Site whose thresholds hold')).toHaveValue(oneAggregatorStats.site.id)
  })

  it('decides again in the browser when a threshold moves, and keeps it in the address', async () => {
    const asked = serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView() })
    const { router } = open('/cases/a1')
    await headline(/independently/)
    await expect.poll(() => asked.some(({ url }) => url.endsWith('/portrait'))).toBe(true)
    const field = async (label: string) =>
      (await screen.findAllByRole('textbox', { name: label }))[0] as HTMLInputElement
    const share = await field('Independent calls over all MPI-IO calls')
    const before = asked.length
    expect(share).toHaveValue('50')
    // Out of its range: the server would refuse it too.
    fireEvent.change(share, { target: { value: '101' } })
    expect(share).toBeInvalid()
    expect(screen.queryByText(/differs? from the documents/)).toBeNull()
    fireEvent.change(
      await field("Accesses that continue the rank's last one, below which they are interleaved"),
      {
        target: { value: '0' },
      },
    )
    fireEvent.change(await field('Accesses that are not aligned'), { target: { value: '100' } })

    // The cause is clear now, and the finding it explained stands by itself.
    expect(await headline('The data moves in 8,000 small accesses.')).toBeVisible()
    expect(within(await findings()).queryByText('explained by independent-shared')).toBeNull()
    expect(screen.getByText(/2 thresholds differ from the documents/)).toBeVisible()
    await waitFor(() => expect(router.state.location.searchStr).toContain(`set=${MOVED}`))
    expect(asked.length).toBe(before)

    fireEvent.click(screen.getByText("Back to the documents' values"))
    expect(await headline(independentSmall.headline.sentence)).toBeVisible()
    await waitFor(() => expect(router.state.location.searchStr).not.toContain('set='))
  })

  it('opens with the thresholds of the address, and drops what it does not understand', async () => {
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView() })
    open(`/cases/a1?set=${MOVED},small-io.fraction:1.01,broken,x:NaN&sort=%3Cscript%3E`)
    expect(await headline('The data moves in 8,000 small accesses.')).toBeVisible()
    // Whoever is sent the address is told beside the sentence.
    expect(screen.getByText(/judged with 2 thresholds moved/)).toBeVisible()
  })

  it('uses the numbers of another site at once, and asks for its advice beside', async () => {
    const override = {
      threshold: 'independent-shared.calls-fraction',
      value: 1.5,
      why: 'test',
      stated_by: { document: 'd', section: 's', says: '' },
    }
    const asked = serve({
      ...EMPTY_SERVER,
      'GET /api/v1/cases/a1': caseView(),
      'GET /api/v1/cases/a1?site=archer2': () => new Promise<Response>(() => {}),
      'GET /api/v1/sites/archer2': { id: 'archer2', title: 'ARCHER2 (EPCC)', thresholds: [override] },
    })
    const { router } = open('/cases/a1')
    await headline(/independently/)
    await userEvent.selectOptions(
      await screen.findByRole('combobox', { name: 'Site whose thresholds hold' }),
      'archer2',
    )
    expect(await headline('The data moves in 8,000 small accesses.')).toBeVisible()
    expect(router.state.location.search).toMatchObject({ site: 'archer2' })
    expect(asked.some((r) => r.url.endsWith('/cases/a1?site=archer2'))).toBe(true)
  })

  const keeping = (kept: string | null) => ({
    ...EMPTY_SERVER,
    'GET /api/v1/cases/a1': { ...caseView(), site: kept },
    'GET /api/v1/cases/a1?site=archer2': () => new Promise<Response>(() => {}),
    'GET /api/v1/sites/archer2': { id: 'archer2', title: 'ARCHER2 (EPCC)', thresholds: [] },
    'PATCH /api/v1/cases/a1': caseView(),
  })
  const patches = async (asked: readonly Request[]) =>
    Promise.all(asked.filter((r) => r.method === 'PATCH').map((r) => r.clone().json()))

  it('has the server keep a site as soon as it is chosen', async () => {
    const asked = serve(keeping(null))
    open('/cases/a1')
    await headline(/independently/)
    await userEvent.selectOptions(
      await screen.findByRole('combobox', { name: 'Site whose thresholds hold' }),
      'archer2',
    )
    await waitFor(async () => expect(await patches(asked)).toEqual([{ site: 'archer2' }]))
  })

  it('says that a site is kept, and gives the choice back', async () => {
    const asked = serve(keeping('archer2'))
    open('/cases/a1?site=archer2')
    expect(await screen.findByText('ARCHER2 (EPCC) is kept for this case.')).toBeVisible()
    await userEvent.click(screen.getByText('Let the evidence decide', { selector: 'button' }))
    await waitFor(async () => expect(await patches(asked)).toEqual([{ site: null }]))
  })

  it('keeps no site that the arrow keys only pass over', async () => {
    const asked = serve(keeping(null))
    const { router } = open('/cases/a1')
    await headline(/independently/)
    const select = await screen.findByRole<HTMLSelectElement>('combobox', {
      name: 'Site whose thresholds hold',
    })
    const before = select.value
    const pass = () => {
      fireEvent.keyDown(select, { key: 'ArrowDown' })
      fireEvent.change(select, { target: { value: 'archer2' } })
    }
    pass()
    expect(select.value).toBe('archer2')
    fireEvent.keyDown(select, { key: 'Escape' })
    expect(select.value).toBe(before)
    fireEvent.blur(select)
    expect(router.state.location.search).not.toHaveProperty('site')
    expect(await patches(asked)).toEqual([])
    pass()
    fireEvent.keyDown(select, { key: 'Enter' })
    await waitFor(async () => expect(await patches(asked)).toEqual([{ site: 'archer2' }]))
  })

  it('shows where a number stands', async () => {
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/cases/a1': caseView({ document: oneAggregatorStats }),
      'GET /api/v1/cases/a1/sources/0/lines': (request) => {
        const query = new URL(request.url).searchParams
        const first = Number(query.get('first'))
        const n = Number(query.get('last')) - first + 1
        const lines = Array.from({ length: n }, (_, i) => ({
          number: first + i,
          text: `text ${first + i}`,
          cut: false,
        }))
        return Response.json({ lines, more: false })
      },
    })
    open('/cases/a1')
    const place = (await screen.findAllByText(/^lines? \d/, { selector: 'button' }))[0] as HTMLElement
    await userEvent.click(place)
    const dialog = await screen.findByRole('dialog')
    const number = place.textContent?.match(/\d+/)?.[0]
    expect(await within(dialog).findByText(`text ${number}`, { selector: 'mark' })).toBeVisible()
    await userEvent.click(within(dialog).getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it("folds a rule's findings on other file groups into one line, which the rail and the address open", async () => {
    const triggered = independentSmall.findings.find(
      (f) => f.scope.kind === 'group' && f.verdict === 'triggered',
    )
    if (!triggered) throw new Error('the fixture has no finding about a group of files')
    const on = (id: string) => ({ ...triggered, scope: { ...triggered.scope, id, label: `${id}.####` } })
    const document = {
      ...independentSmall,
      groups: [...independentSmall.groups, ...likeGroup(triggered.scope.id, 'zeta', 'zulu')],
      findings: [...independentSmall.findings, on('zeta'), on('zulu')],
    }
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView({ document: document }) })
    const { router } = open('/cases/a1')
    await headline(document.headline.sentence)
    const list = within(await findings())
    expect(list.queryByText('zulu.####', { selector: 'summary *' })).toBeNull()
    const fold = list.getByText(/also on 2 other file groups/).closest('details') as HTMLDetailsElement
    expect(fold.open).toBe(false)
    const line = within(screen.getByLabelText('Findings', { selector: 'nav' })).getByText(
      /also on 2 other file groups/,
    )
    expect(line).toHaveTextContent(`, ${triggered.rule}`)
    await userEvent.click(line)
    expect(fold.open).toBe(true)
    expect(list.getByText('zulu.####')).toBeVisible()
    expect(router.state.location.search).toMatchObject({ open: expect.stringMatching(/^also-/) })
  })

  it('opens the fold around the finding of the address', async () => {
    const triggered = independentSmall.findings.find(
      (f) => f.scope.kind === 'group' && f.verdict === 'triggered',
    )
    if (!triggered) throw new Error('the fixture has no finding about a group of files')
    const on = (id: string) => ({ ...triggered, scope: { ...triggered.scope, id, label: `${id}.####` } })
    const document = {
      ...independentSmall,
      groups: [...independentSmall.groups, ...likeGroup(triggered.scope.id, 'zulu')],
      findings: [...independentSmall.findings, on('zulu')],
    }
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView({ document: document }) })
    open(`/cases/a1?open=${triggered.rule}@zulu`)
    await headline(document.headline.sentence)
    const fold = within(await findings())
      .getByText(/also on 1 other file group/)
      .closest('details') as HTMLDetailsElement
    expect(fold.open).toBe(true)
    expect(fold.querySelector('details[open]')?.id).toBe(`f-${triggered.rule}-zulu`)
  })

  it('shows what the sources say below, and says on top where they differ', async () => {
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/cases/a1': caseView({
        document: {
          ...everyKind,
          findings: independentSmall.findings,
          thresholds: independentSmall.thresholds,
          documents: independentSmall.documents,
        },
      }),
    })
    const { router } = open('/cases/a1?said=hints')
    const link = await screen.findByText('both figures, and the known reason', { selector: 'a' })
    expect(link.closest('p')).toHaveTextContent(/The sources differ in job id, .* more: both figures/)
    expect(await screen.findByText('What the sources say')).toBeVisible()
    expect(screen.queryByRole('table', { name: 'Figures that two or more sources state' })).toBeNull()
    await userEvent.click(link)
    expect(router.state.location.search).toMatchObject({ said: 'hints,agreement' })
    expect(await screen.findByText('32 ranks', { exact: false, selector: 'span[title]' })).toBeVisible()
  })

  it('lists the files that took longest, like names in one line, and leads to all of them', async () => {
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView({ document: manySmallFiles }) })
    open('/cases/a1')
    const table = within(await screen.findByRole('table', { name: 'Files that took longest' }))
    const rows = table.getAllByRole('rowheader')
    expect(rows[0]).toHaveTextContent(/and [\d,]+ files like it/)
    // What each of them has is not taken for what they have together.
    expect(table.getAllByRole('row')[1]).toHaveTextContent(/1 each$/)
    expect(rows.length).toBeLessThan(manySmallFiles.files.length)
    expect(screen.getByText(/^All [\d,]+ files$/, { selector: 'a' })).toHaveAttribute(
      'href',
      '/cases/a1/files',
    )
  })

  it('goes on by itself while the sources are read', async () => {
    const source = {
      index: 0,
      name: 'run.darshan',
      sha256: 'f',
      size_bytes: 9,
      reader: null,
      message: null,
      next_step: null,
      gone_at: null,
    }
    let looks = 0
    let read = () => {}
    const isRead = new Promise<void>((resolve) => {
      read = resolve
    })
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/cases/a1': async () => {
        looks += 1
        if (looks > 1) {
          await isRead
          return Response.json(caseView({ document: oneAggregatorStats }))
        }
        return Response.json(
          caseView({ document: null, status: 'reading', sources: [{ ...source, status: 'reading' }] }),
        )
      },
    })
    open('/cases/a1')
    expect(await screen.findByText('run.darshan')).toBeVisible()
    expect(screen.getByText(/being read/)).toBeVisible()
    expect(screen.getByText(/^\d+ (s|min \d+ s) so far/)).toBeVisible()
    read()
    expect(await headline(oneAggregatorStats.headline.sentence)).toBeVisible()
  })

  it('says which source failed, why, and what to do', async () => {
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/cases/a1': caseView({
        document: null,
        status: 'failed',
        sources: [
          {
            index: 0,
            name: 'run.darshan',
            sha256: 'f',
            size_bytes: 9,
            reader: null,
            status: 'failed',
            message: 'The log ends within its header.',
            next_step: 'Copy it again after the job has ended.',
            gone_at: null,
          },
        ],
      }),
    })
    open('/cases/a1')
    expect(await screen.findByText('The log ends within its header.')).toBeVisible()
    expect(screen.getByText('Copy it again after the job has ended.')).toBeVisible()
    expect(screen.getByText('Add a source', { selector: 'button' })).toBeVisible()
  })

  it('tells a case that is not there from a server that does not answer', async () => {
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/cases/a1': () => problem(404, 'There is no such case', "Case 'a1' is not here."),
    })
    const { unmount } = open('/cases/a1')
    expect(await headline('There is no case at this address.')).toBeVisible()
    unmount()
    globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'))
    open('/cases/a1')
    expect(await screen.findByText(/The server does not answer/)).toBeVisible()
  })
})

it('says of a source what it holds, with the version of who wrote it', async () => {
  serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView() })
  open('/cases/a1/evidence')
  expect(await screen.findByText(/Darshan 3\.\d+ log: POSIX \d+/)).toBeVisible()
})

it.each([
  ['of I/O', {}, independentSmall.headlines.not_enough.sentence],
  ['why it takes its time', independentSmall.metrics, /^I\/O takes 64 % .*these sources do not show why\.$/],
])('does not say that thresholds were kept where no source tells %s', async (_, metrics, sentence) => {
  const none = { findings: [], groups: [], files: [], account: null, unexplained: null }
  const document = { ...independentSmall, ...none, metrics, charts: nothingToDraw.charts }
  serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView({ document }) })
  open('/cases/a1')
  await headline(sentence)
  expect(await screen.findByText('nothing is here to judge it by')).toBeVisible()
})

describe('a log of a run without any I/O', () => {
  const seen = {
    ...independentSmall,
    sources: independentSmall.sources.map((source) => ({ ...source, status: 'complete' as const })),
    charts: nothingToDraw.charts,
    headlines: { ...independentSmall.headlines, no_io: independentSmall.headline },
    account: null,
    findings: [],
    groups: [],
    files: [],
    files_total: 0,
  }
  const page = { total: 0, matched: 0, offset: 0, sums: NO_SUMS, patterns: [], layers: [] }
  it.each([
    ['timeline', 'Which rank did I/O, and when?'],
    ['files', 'Files'],
  ])('says so on the view %s, and asks for no log', async (path, heading) => {
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/cases/a1': caseView({ document: seen }),
      'GET /api/v1/cases/a1/files': { ...page, files: [] },
      'GET /api/v1/cases/a1/files/groups': { ...page, groups_matched: 0, groups: [] },
    })
    open(`/cases/a1/${path}`)
    expect(await screen.findByText(heading, { selector: 'h2' })).toBeVisible()
    expect(await screen.findByText('No file is opened, read or written in the evidence.')).toBeVisible()
    expect(screen.queryByText(/A Darshan log does|DXT_ENABLE_IO_TRACE/)).toBeNull()
  })
})
