import { diagnose, expect, findingRow, sample, test } from './stage'

const LOG = sample('darshan_log/lustre-ssf-one-stripe')
const STDERR = sample('mpich_stats/bad-collective-write-one-aggregator')

// As most people have it.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

test('a Darshan log and the stderr of its job, given together, become one diagnosis', async ({ page }) => {
  await diagnose(page, [...LOG, ...STDERR])
  const finding = findingRow(page, 'single-aggregator')

  await expect(page.getByRole('heading', { level: 1 })).toContainText('One rank')
  await expect(page.getByText('lfs setstripe -c -1').first()).toBeVisible()
  const evidence = page.getByRole('list', { name: 'Evidence' })
  await expect(evidence).toContainText('Darshan log, read whole')
  await expect(evidence).toContainText('MPICH_MPIIO_STATS output, read whole')
  await expect(page.getByLabel('The job', { exact: true })).toContainText('256')
  await expect(finding).toContainText('high')

  await test.step('a figure leads to the counter and to the line where it stands', async () => {
    await finding.getByRole('button', { name: 'POSIX_F_VARIANCE_RANK_BYTES' }).click()
    const record = page.getByRole('dialog')
    await expect(record.getByRole('heading', { level: 2 })).toContainText('plume.0064.dat')
    await expect(record.getByRole('row', { name: /^POSIX_BYTES_WRITTEN/ })).toContainText('68719476736')
    await page.keyboard.press('Escape')
    await expect(record).toBeHidden()

    await finding
      .getByRole('button', { name: /^lines? \d/ })
      .first()
      .click()
    const lines = page.getByRole('dialog')
    await expect(lines.getByRole('listitem').filter({ has: page.locator('mark') })).toContainText(
      'aggregators',
    )
    await page.keyboard.press('Escape')
    await expect(lines).toBeHidden()
  })

  await test.step('the case stands in the list of cases', async () => {
    await page.getByRole('link', { name: 'Cases' }).first().click()
    const mine = page.getByRole('region', { name: 'Recent cases' }).getByRole('row', { name: /7204411/ })
    await expect(mine.first()).toContainText('One rank')
  })
})

test('pasted text is read like a file', async ({ page }) => {
  await page.goto('/')
  await page
    .getByLabel('or paste text from stderr')
    .fill(
      [
        '+--------------------------------------------------------+',
        '| MPIIO write access patterns for out/field.dat',
        '|   independent writes      = 0',
        '|   collective writes       = 2048',
        '|   independent writers     = 0',
        '|   aggregators             = 4',
        '|   stripe count            = 4',
        '|   stripe size             = 1048576',
        '|   system writes           = 8192',
        '|   stripe sized writes     = 8192',
        '|   total bytes for writes  = 8589934592 = 8192 MiB = 8 GiB',
        '|   ave system write size   = 1048576',
        '|   read-modify-write count = 0',
        '|   read-modify-write bytes = 0',
        '|   number of write gaps    = 0',
        '|   ave write gap size      = NA',
        '+--------------------------------------------------------+',
        '',
      ].join('\n'),
    )
  await page.getByRole('button', { name: 'Diagnose' }).click()

  await expect(page.getByRole('heading', { name: 'What is wrong, and how sure' })).toBeVisible()
  await expect(page.getByLabel('The job', { exact: true })).toContainText('8,589,934,592 bytes')
})

test('a source added later joins the case', async ({ page }) => {
  await diagnose(page, LOG)
  await expect(page.getByRole('list', { name: 'Evidence' })).not.toContainText('MPICH_MPIIO_STATS output')

  await page.getByRole('button', { name: 'Add a source' }).click()
  await page.getByRole('dialog').getByLabel('Drop logs here').setInputFiles(STDERR)

  await expect(page.getByRole('list', { name: 'Evidence' })).toContainText(
    'MPICH_MPIIO_STATS output, read whole',
  )
})

test('what is no log is refused in words, with what to do', async ({ page }) => {
  await page.goto('/')
  const noise = Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 73 + 41) % 256))
  await page
    .getByLabel('Drop logs here')
    .setInputFiles({ name: 'holiday.jpg', mimeType: 'image/jpeg', buffer: noise })
  await page.waitForURL(/\/cases\//)

  const sources = page.getByRole('list', { name: 'Sources' })
  await expect(sources).toContainText('holiday.jpg')
  await expect(sources).toContainText('could not be read')
  await expect(sources).toContainText('Give a Darshan log')
  await expect(page.getByRole('button', { name: 'Add a source' })).toBeVisible()
  await page.getByRole('button', { name: 'Remove this case' }).click()
  await page.getByRole('button', { name: 'Remove it' }).click()
  await expect(page).toHaveURL(/\/$/)
  await expect(page.getByRole('heading', { name: 'Recent cases' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'holiday.jpg' })).toHaveCount(0)
})

test('a damaged log says what is missing and still gives what there is', async ({ page }) => {
  await diagnose(page, sample('darshan_log/50-truncated-heat2d-legacy'))
  await expect(page.getByRole('list', { name: 'Evidence' })).toContainText('read in part')
  await expect(page.getByText(/cut off|truncated|ends before/i).first()).toBeVisible()
})
