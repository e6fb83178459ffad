import { drawn, test } from '../journeys/stage'
import { caseOf, everySample, filesOf } from './cases'
import {
  EVERY_WINDOW,
  expectNone,
  exported,
  Findings,
  lookThrough,
  visit,
  WIDTHS,
  watchShifts,
} from './visit'

const VIEWS = ['', '/timeline', '/ranks', '/files', '/evidence', '/triage'] as const
const RUN_SETS = [
  ['darshan_log/39-heat2d-legacy', 'darshan_log/40-heat2d-tuned'],
  ['darshan_log/lustre-ssf-one-stripe', 'darshan_log/lustre-ssf-striped'],
  ['darshan_log/06-shared-indep-1000b-unaligned', 'mpich_stats/rmw-and-gaps', 'ior/ssf-collective'],
]

test.describe.configure({ timeout: 600_000 })
test.beforeEach(({ page }) => watchShifts(page))

/** Each sample begins in another width, so that every view is first drawn in each. */
const startingAt = (n: number) => ({
  ...EVERY_WINDOW,
  widths: WIDTHS.map((_, i) => WIDTHS[(i + n) % WIDTHS.length] ?? 1440),
})

everySample().forEach((sample, n) => {
  test(`case ${sample}`, async ({ page, request }, info) => {
    const found = new Findings()
    const id = await caseOf(request, filesOf(sample))
    for (const view of VIEWS) await visit(page, view || '/', `/cases/${id}${view}`, startingAt(n), found)

    await page.goto(`/cases/${id}`)
    // A chart that is not drawn yet has nothing to open, and what is opened may be a chart.
    await drawn(page)
    await page.evaluate(openEverything)
    await drawn(page)
    await lookThrough(page, 'all open', startingAt(n), found)

    await visit(page, 'export', await exported(page, id, info.outputPath('case.html')), EVERY_WINDOW, found)
    expectNone(sample, found)
  })
})

function openEverything(): void {
  for (const details of document.querySelectorAll('details')) details.open = true
  for (const folded of document.querySelectorAll<HTMLElement>(
    'main [aria-expanded=false]:not([aria-haspopup])',
  ))
    folded.click()
}

RUN_SETS.forEach((samples, n) => {
  test(`comparison of ${samples.join(' and ')}`, async ({ page, request }) => {
    const found = new Findings()
    const ids = []
    for (const sample of samples) ids.push(await caseOf(request, filesOf(sample)))
    await visit(page, 'compare', `/compare?cases=${ids.join(',')}`, startingAt(n), found)
    expectNone(`compare ${n}`, found)
  })
})

const OTHERS = [
  '/',
  '/queue',
  '/compare',
  '/rules',
  '/glossary',
  '/access',
  '/administration',
  '/nowhere',
  '/cases/none',
  '/sites/archer2',
]

OTHERS.forEach((address, n) => {
  test(`page ${address}`, async ({ page }) => {
    const found = new Findings()
    await visit(page, address, address, startingAt(n), found)
    expectNone(`page ${address}`, found)
  })
})

test('every rule', async ({ page, request }) => {
  const found = new Findings()
  const rules = (await (await request.get('/api/v1/rules')).json()) as { id: string }[]
  for (const [n, { id }] of rules.entries())
    await visit(
      page,
      id,
      `/rules/${id}`,
      { ...EVERY_WINDOW, widths: [WIDTHS[n % WIDTHS.length] ?? 390], paper: n % 8 === 0 },
      found,
    )
  expectNone('rules', found)
})

test('a ticket and the reply to it', async ({ page, request }) => {
  const found = new Findings()
  const id = await caseOf(request, filesOf('darshan_log/06-shared-indep-1000b-unaligned'))
  const opened = await request.post('/api/v1/tickets', { data: { subject: 'Slow writes', cases: [id] } })
  const ticket = (await opened.json()) as { id: number }
  await visit(page, 'ticket', `/tickets/${ticket.id}`, EVERY_WINDOW, found)
  // A panel lies over the page: of what can be chosen in it no word may be cut.
  await page.getByRole('button', { name: 'Add a run' }).click()
  for (const width of EVERY_WINDOW.widths) {
    await page.setViewportSize({ width, height: 844 })
    const cut = await page
      .locator('dialog[open] label')
      .evaluateAll((labels) =>
        labels
          .filter((label) => label.scrollHeight > label.clientHeight + 1)
          .map((label) => label.textContent),
      )
    found.add(
      `a run to add ${width}`,
      cut.map((what) => ({ kind: 'clipped', where: 'dialog label', what })),
    )
  }
  expectNone('ticket', found)
})
