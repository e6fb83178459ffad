import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import {
  expect,
  fitsWindows,
  keepsNobodyOut,
  keepsNobodyOutInEitherTheme,
  openCase,
  openView,
  sample,
  test,
} from './stage'

const MANY = sample('darshan_log/03-fpp-many-small-files')
const LOG = sample('darshan_log/lustre-ssf-one-stripe')
const STDERR = sample('mpich_stats/bad-collective-write-one-aggregator')

/** Goes to another view of the case. */
const view = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Views of this case' }).getByRole('link', { name }).click()

test('a log and its text: which file took most time and why, and which lines were read', async ({ page }) => {
  await openView(page, [...LOG, ...STDERR], 'evidence')

  await test.step('a text shows which of its lines were read, and into what', async () => {
    await page.getByRole('navigation', { name: 'Sources' }).getByRole('button', { name: /STATS/ }).click()

    const blocks = page.getByRole('navigation', { name: 'What was read of it' })
    await blocks.getByRole('button', { name: /MPICH_MPIIO_STATS, write/ }).click()
    await expect(page.locator('mark').filter({ hasText: 'aggregators active' })).toBeVisible()
    await expect(blocks.getByRole('button', { name: /MPICH_MPIIO_STATS, write/ })).toHaveAttribute(
      'aria-current',
      'location',
    )
    await expect(page).toHaveURL(/source=1&line=\d+&to=\d+/)
    await keepsNobodyOut(page)
  })

  await test.step('which file took most time, what it is made of, and which finding is about it', async () => {
    await view(page, 'Files')

    const rows = page.getByRole('region', { name: 'Rows of files' })
    await expect(rows.getByRole('columnheader', { name: 'time' })).toHaveAttribute('aria-sort', 'descending')
    const first = rows.getByRole('rowheader').first()
    await expect(first).toContainText('plume.0064.dat')
    await first.getByRole('button').focus()
    await page.keyboard.press('Enter')

    const file = page.getByRole('dialog', { name: 'plume.0064.dat' })
    await expect(file.getByRole('region', { name: 'Findings' })).toContainText('One rank')
    await expect(file.getByRole('region', { name: 'Layout on Lustre' })).toContainText('on OST 7')
    await expect(file.getByRole('row', { name: /^POSIX_BYTES_WRITTEN/ })).toContainText('68719476736')
    await expect(page).toHaveURL(/[?&]file=/)
    // As many blanks as the name has.
    await expect(file.locator('bdi').first()).toHaveCSS('white-space-collapse', 'preserve')
    await keepsNobodyOut(page, 'dialog[open]')

    await file.getByRole('link', { name: 'MPICH_MPIIO_STATS, write' }).click()
    await expect(page.locator('mark').filter({ hasText: 'total bytes for writes' })).toBeVisible()
  })
})

test('many files are filtered, folded, walked and taken away, and every counter of theirs is found', async ({
  page,
}) => {
  await openCase(page, MANY)

  await test.step('files are filtered, folded, walked by keyboard, and taken away as CSV', async () => {
    await page.getByRole('link', { name: /^All [\d,]+ files$/ }).click()
    const group = page.getByRole('rowheader').getByRole('button', { expanded: false })
    await expect(group).toContainText('2,000 files')
    await expect(page.getByRole('status')).toContainText(/at most .* of one rank$/)
    await group.click()
    await expect(page.getByRole('table')).toHaveAttribute('aria-rowcount', '2002')
    await keepsNobodyOut(page)

    await page.getByRole('rowheader').nth(1).getByRole('button').focus()
    await page.keyboard.press('End')
    await expect(page.locator('tr[aria-rowindex="2002"] button')).toBeFocused()
    await expect(page.locator('tr[aria-rowindex="2002"]')).toContainText(/part\.\d/)

    await page.getByRole('searchbox', { name: /^Find files/ }).fill('part 0007')
    await expect(page.getByRole('status')).toContainText(/^8 of 2,000 files/)
    await page.getByRole('checkbox', { name: 'fold like names' }).uncheck()
    await expect(page.getByRole('table')).toHaveAttribute('aria-rowcount', '9')
    const byName = page.getByRole('columnheader', { name: 'file' })
    await byName.getByRole('button').click()
    await expect(byName).toHaveAttribute('aria-sort', 'ascending')
    await expect(page.getByRole('rowheader').first()).toContainText('part.000.0007')
    const names = await page.getByRole('rowheader').allTextContents()

    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'These 8 files as CSV' }).click()
    const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\r\n')
    expect(lines[0]).toMatch(/^path,group,pattern/)
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(names)
  })

  await test.step('every counter of a log is found by its name and its file', async () => {
    await view(page, 'Evidence')
    await page.getByRole('searchbox', { name: 'Find counters by their name' }).fill('bytes_written')
    await page.getByRole('searchbox', { name: /name of their file/ }).fill('part.003.0007')
    await expect(page.getByRole('status').first()).toHaveText('1 value of 1 record')
    await expect(page.getByRole('row', { name: /_BYTES_WRITTEN/ })).toContainText('part.003.0007')
    await keepsNobodyOut(page)
  })
})

test('a figure is found by a word that nobody wrote, with where it is from', async ({ page }) => {
  await page.goto('/')
  await page
    .getByRole('region', { name: 'Samples' })
    .getByRole('link', { name: /A small application, before/ })
    .click()
  await page.getByRole('link', { name: 'Evidence' }).click()
  await page.getByRole('button', { name: 'All figures' }).click()
  await page.getByLabel('Find figures by words of what they are').fill('speed')
  await expect(page.getByText('For “speed”: bandwidth, rate.')).toBeVisible()
  const bandwidth = page.getByRole('row', { name: /^Bandwidth io\.bandwidth/ }).first()
  // As the facts of the case have it.
  await expect(bandwidth).toContainText('at least')
  await expect(bandwidth).toContainText('21.8')
  await expect(page).toHaveURL(/shown=figures&figure=speed/)
  await page.reload()
  await expect(bandwidth).toBeVisible()
  await fitsWindows(page, [390, 1440])
  await keepsNobodyOutInEitherTheme(page)
  await test.step('a value that is a path stays in its column', async () => {
    await page.getByLabel('Find figures by words of what they are').fill('path of the file')
    await expect(page.getByRole('row', { name: /balance\.file_path/ }).first()).toBeVisible()
    const cells = page.getByRole('table', { name: 'Figures' }).getByRole('cell')
    expect(
      await cells.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth)),
    ).toHaveLength(0)
    await page.getByLabel('Find figures by words of what they are').fill('speed')
  })
  await bandwidth
    .getByRole('button', { name: /POSIX_/ })
    .first()
    .click()
  await expect(page.getByRole('dialog')).toContainText('POSIX_F_SLOWEST_RANK_TIME')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Sources' }).click()
  await expect(page.getByRole('region', { name: 'Counters' })).toBeVisible()
})

test('on a phone a line of several files says how many they are', async ({ page }) => {
  await openCase(page, MANY)
  await page.setViewportSize({ width: 390, height: 844 })
  const longest = page.getByRole('table', { name: 'Files that took longest' })
  await expect(longest.getByText('and 1,999 files like it')).toBeVisible()
  await view(page, 'Files')
  const files = page.getByRole('table', { name: 'Files' })
  await expect(files.getByText('2,000 files')).toBeVisible()
  await keepsNobodyOut(page)
})
