import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { diagnose, drawn, expect, fitsWindows, sample, test } from './stage'

const LOG = sample('darshan_log/lustre-ssf-one-stripe')
const STDERR = sample('mpich_stats/bad-collective-write-one-aggregator')

test("on plain HTTP, where the browser's own digest is withheld, a worker computes the checksums", async ({
  page,
}) => {
  await page.addInitScript(() => Object.defineProperty(crypto, 'subtle', { value: undefined }))
  const worker = page.waitForEvent('worker')
  await diagnose(page, LOG)
  expect((await worker).url()).toContain('sha256')
})

test('what is dropped while a file is on its way joins its case', async ({ page }) => {
  await page.goto('/')
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(/\/api\/v1\/sources\//, async (route) => {
    await held
    await route.continue()
  })
  await page.getByLabel('Drop logs here').setInputFiles(LOG)
  await expect(page.getByText('1 file is on its way. What you add now joins it.')).toBeVisible()
  const [later = ''] = STDERR
  const dropped = await page.evaluateHandle(
    ([name, text]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([text], name))
      return transfer
    },
    [`${'of_a_long_name_'.repeat(14)}${basename(later)}`, readFileSync(later, 'utf8')] as const,
  )
  await page.getByText('Drop logs here').dispatchEvent('drop', { dataTransfer: dropped })
  await expect(page.getByRole('list', { name: 'Files given' }).getByRole('listitem')).toHaveCount(2)
  letGo()
  const evidence = page.getByRole('list', { name: 'Evidence' })
  await expect(evidence).toContainText('Darshan log, read whole')
  await expect(evidence).toContainText('MPICH_MPIIO_STATS output, read whole')
  await expect(page.getByText(/of (of_a_long_name_){14}/).first()).toBeVisible()
  await fitsWindows(page, [390, 1440])
})

test('a program whose name is one long word leaves no view of its case wider than the window', async ({
  page,
}) => {
  const [parsed = ''] = sample('darshan_parser_text/shared-indep-unaligned')
  const text = readFileSync(parsed, 'utf8').replace(/^# exe: .*$/m, `# exe: /bin/${'E'.repeat(1500)} -n 8`)
  await page.goto('/')
  await page
    .getByLabel('Drop logs here')
    .setInputFiles({ name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.from(text) })
  await page.waitForURL(/\/cases\/[a-z0-9]+/)
  await expect(page.getByRole('heading', { name: 'What is wrong, and how sure' })).toBeVisible()
  const at = page.url()
  for (const view of ['', '/ranks', '/files', '/triage']) {
    await page.goto(`${at}${view}`)
    await drawn(page)
    await expect(page.getByText(/E{1500}/).first()).toBeVisible()
    await fitsWindows(page, [390, 1440])
  }
})
