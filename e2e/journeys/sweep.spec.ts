import { readFileSync, writeFileSync } from 'node:fs'
import { caseOf, filesOf } from '../sweep/cases'
import { faintIn, faultsOf, faultsOnPaper } from '../sweep/judge'
import { snapshotOf } from '../sweep/snapshot'
import { exported, Findings, lookThrough, visit, type Windows, watchShifts } from '../sweep/visit'
import { drawn, expect, open, openView, sample, test } from './stage'

/** A narrow window, whose contrasts are asked of the dark theme, and a wide one on paper. */
const PHONE: Windows = { widths: [390], themes: ['dark'], paper: false }
const DESK: Windows = { widths: [1440], themes: ['light'], paper: true }
const APART: Windows = { widths: [1280, 390], themes: ['light'], paper: false }
/** https://www.w3.org/TR/WCAG22/#text-spacing */
const SET_APART = `
  * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
  p { margin-bottom: 2em !important }`

test.beforeEach(({ page }) => watchShifts(page))

test('every fault of a page is seen, and nothing else', async ({ page }) => {
  await page.setContent(`
    <style>
      * { font-variant-ligatures: none }
      .redrawn { font-variant-ligatures: normal }
      body { font: 16px/24px sans-serif; background: #fff; color: #000; margin: 0 }
      p { margin: 40px 0 0 }
      .over { margin-top: -20px }
      .half { height: 10px; overflow: hidden }
      .cut { width: 60px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
      .narrow { width: 60px; white-space: nowrap }
      .box { width: 200px; height: 40px; background: #ddd }
      .scrolled { width: 100px; overflow-x: auto; white-space: nowrap }
      .hidden { visibility: hidden }
      .arrowed { background: #fff linear-gradient(#000, #000) right / 5px 5px no-repeat }
      .ghostly::placeholder { color: #999 }
    </style>
    <main>
      <p>The run took 30,747 s of its 2,048 KiB.</p>
      <p>Of 1048576 calls, 8.28 × 10^−6 % were late, 2 min 3 s in all.</p>
      <p>Job 4021377 wrote 140 GiB in 119 s.</p>
      <p>It wrote 4,955 MiB/s where 12,288 MiB/s is documented.</p>
      <p>Rank 83,077 of 131,072 ranks waits for OST 7.</p>
      <p class="low">Read once.</p><p class="over">Laid over it.</p>
      <p class="redrawn">if |u| <= 4x4</p>
      <p class="half">Half of this is gone.</p>
      <p class="cut">Shortened without a word</p>
      <p class="cut" title="Shortened, and said on hover">Shortened, and said on hover</p>
      <p class="cut" title="A duration, and said on hover">1259 min 42</p>
      <p class="narrow">Wider than its paragraph</p>
      <p style="color: #999">Too faint to read.</p>
      <p style="color: #999" class="hidden">Not seen at all.</p>
      <p>Site: <input style="color: #999; background: #fff" value="Written too faintly"></p>
      <p>Layer: <select class="arrowed" style="color: #999"><option>Chosen too faintly</option></select></p>
      <p>Name: <input class="ghostly" placeholder="Nothing yet"> <input placeholder="Read well enough"></p>
      <p>Note: <textarea style="color: #999; background: #fff" disabled>Not to be changed</textarea></p>
      <div class="box"></div>
      <section><h2>Nothing below</h2></section>
      <div class="scrolled">More of it is beyond the edge, and nothing says so.</div>
    </main>`)
  const faults = faultsOf(await snapshotOf(page, ['light']))
  const told = new Set(faults.map(({ kind, what }) => `${kind} ${what.replace(/ \(\d+ px\)$/, '')}`.trim()))
  expect([...told].sort()).toEqual(
    [
      'clipped Half of this is gone.',
      'contrast 2.85: Too faint to read. (light)',
      'contrast 2.85: Written too faintly (light)',
      'contrast 2.85: Chosen too faintly (light)',
      'contrast 2.85: Nothing yet (light)',
      'cut 1259 min 42',
      'cut Shortened without a word',
      'empty',
      'no cue more of it is beyond the edge',
      'number f 1048576 calls, 8.28 × 10^−6 % were',
      'number Of 1048576 calls, 8.',
      'number The run took 30,747 s of its 2,',
      'number e 4,955 MiB/s where 12,288 MiB/s is docume',
      'number ook 30,747 s of its 2,048 KiB.',
      'number Rank 83,077 of 131,07',
      'outside Wider than its paragraph',
      'redrawn by ligatures',
      'overlap “Read once.” and “Laid over it.”',
    ].sort(),
  )
})

test('what is too faint in one theme alone is seen', async ({ page }) => {
  await page.setContent(`
    <style>
      .written { color: #333 }
      [data-theme=dark] { background: #111; color: #eee }
    </style>
    <main><p>Read in both.</p><p class="written">Read in light alone.</p></main>`)
  const faint = faintIn(await snapshotOf(page, ['light', 'dark']))
  expect(faint.map(({ what }) => what)).toEqual(['1.49: Read in light alone. (dark)'])
})

test('what could be pressed is a fault on paper, and words are none', async ({ page }) => {
  await page.setContent(`
    <main>
      <label>Chosen <select id="drawn"><option>time</option></select></label>
      <label>Chosen <select style="appearance: none; border: 0; background: none"><option>time</option></select></label>
      <button type="button" id="framed">Do it</button>
      <button type="button" style="border: 0; background: none">rank 4</button>
      <input type="checkbox" id="ticked" checked>
      <input style="display: none">
    </main>`)
  const controls = faultsOnPaper(await snapshotOf(page, ['light'])).filter(({ kind }) => kind === 'control')
  expect(controls.map(({ where }) => /#(\w+)/.exec(where)?.[1])).toEqual(['drawn', 'framed', 'ticked'])
})

test('a case is set without a fault on a phone, at a desk, on paper and in its export', async ({
  page,
  request,
}, info) => {
  const found = new Findings()
  const id = await caseOf(request, filesOf('darshan_log/lustre-ssf-one-stripe'))
  await visit(page, 'diagnosis', `/cases/${id}`, PHONE, found)
  await visit(page, 'export', await exported(page, id, info.outputPath('case.html')), DESK, found)
  for (const view of ['timeline', 'ranks', 'files', 'evidence', 'triage'])
    await visit(page, view, `/cases/${id}/${view}`, { ...PHONE, themes: ['light'], paper: true }, found)
  expect(found.all).toEqual([])
})

test('a case of texts alone, the start and a rule are set without a fault', async ({ page, request }) => {
  const found = new Findings()
  const id = await caseOf(request, filesOf('mpich_stats/rmw-and-gaps'))
  await visit(page, 'diagnosis', `/cases/${id}`, DESK, found)
  await visit(page, 'start', '/', PHONE, found)
  await visit(page, 'rule', '/rules/single-aggregator', PHONE, found)
  expect(found.all).toEqual([])
})

test.describe('where a reader has letters, words and lines set apart', () => {
  // Their browser adds the style; the page's own policy would keep it out.
  test.use({ bypassCSP: true })

  test('a case is set without a fault', async ({ page, request }) => {
    const found = new Findings()
    await page.addInitScript((style) => {
      addEventListener('DOMContentLoaded', () => {
        document.head.appendChild(document.createElement('style')).textContent = style
      })
    }, SET_APART)
    for (const name of ['darshan_log/39-heat2d-legacy', 'darshan_log/lustre-ssf-one-stripe']) {
      await open(page, `/cases/${await caseOf(request, filesOf(name))}`)
      await lookThrough(page, name, APART, found)
      for (const view of ['Timeline', 'Files', 'Triage']) {
        await page
          .getByRole('navigation', { name: 'Views of this case' })
          .getByRole('link', { name: view })
          .click()
        await expect(page).toHaveURL(new RegExp(`/${view.toLowerCase()}$`))
        await drawn(page)
        await lookThrough(page, `${name} ${view}`, APART, found)
      }
    }
    // Files whose metadata took minutes have a column for them in a wide window.
    await openView(page, sample('darshan_log/lustre-reopened'), 'files')
    await lookThrough(page, 'minutes', { ...APART, widths: [1440] }, found)
    expect(found.all).toEqual([])
  })
})

/** As long as file systems let them be, of wide letters, from right to left, of other scripts and signs. */
const NAMES = ['W'.repeat(250), 'ملف-البيانات-النهائية.nc', '計算結果'.repeat(12), '🧪 <b>"a"'] as const

test('names of any letters and length are set without a fault', async ({ page, request }, info) => {
  const found = new Findings()
  const [parsed = ''] = sample('darshan_parser_text/subfile-per-node')
  const named = NAMES.reduce(
    (text, name, n) => text.replaceAll(`state.00${n}`, name),
    readFileSync(parsed, 'utf8').replace(/^# exe: .*$/m, `# exe: /bin/${'W'.repeat(250)} -n 8`),
  )
  const log = info.outputPath('names.darshan.txt')
  writeFileSync(log, named)
  const id = await caseOf(request, [log])
  for (const view of ['', '/timeline', '/ranks', '/files', '/files?grouped=no'])
    await visit(page, view, `/cases/${id}${view}`, { ...PHONE, widths: [390, 1280], paper: true }, found)
  // As one group they have the name of one of them.
  for (const name of NAMES) await expect(page.getByRole('main')).toContainText(name)
  await visit(page, 'start', '/', { ...PHONE, widths: [1280, 390] }, found)
  expect(found.all).toEqual([])
})
