import { type Browser, expect as check } from '@playwright/test'
import { expect, fitsWindows, keepsNobodyOutInEitherTheme, sample, test } from './stage'

const BEFORE = sample('darshan_log/39-heat2d-legacy')
const AFTER = sample('darshan_log/40-heat2d-tuned')

/** Gives a log on the start page, and has a name that no other journey's entry has. */
async function given(browser: Browser, baseURL: string | undefined, files: string[]): Promise<string> {
  const page = await browser.newPage({ ...(baseURL && { baseURL }) })
  await page.goto('/')
  await page.getByLabel('Drop logs here').setInputFiles(files)
  await page.waitForURL(/\/cases\/[a-z0-9]+/)
  await check(page.getByRole('heading', { name: 'What is wrong, and how sure' })).toBeVisible()
  const [, id = ''] = /\/cases\/([a-z0-9]+)/.exec(page.url()) ?? []
  await page.close()
  return id
}

test('a helpdesk takes a log from the queue to a copied reply, and its rerun closes the ticket', async ({
  page,
  browser,
  baseURL,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const id = await given(browser, baseURL, BEFORE)
  await page.goto('/queue?q=history.h5')
  const row = page.getByRole('row').filter({ has: page.locator(`a[href*="${id}"]`) })
  await expect(row).toContainText('Ranks access a shared file independently')
  await expect(row.getByRole('img', { name: /MPI-IO 48\.0 MiB/ })).toBeVisible()
  await keepsNobodyOutInEitherTheme(page)
  await fitsWindows(page, [390, 1440])

  await row.getByRole('cell').nth(1).click()
  await page.keyboard.press('a')
  const ticket = page.getByRole('row').filter({ hasText: 'in work' }).first()
  await expect(ticket).toContainText('you')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toContainText('next entry')
  await page.keyboard.press('Escape')
  await page.keyboard.press('o')
  await page.waitForURL(/\/tickets\/\d+/)

  await page.getByRole('checkbox', { name: /Syncs after every write or every few/ }).check()
  const reply = page.getByRole('textbox', { name: 'Text of the reply' })
  await expect(page.getByText('About 2 findings.')).toBeVisible()
  await expect(reply).toHaveValue(/MPIIO_INDEP_WRITES/)
  await expect(reply).toHaveValue(/threshold ≥ 50 %: ARCHER2\s+User Guide/)
  await page.getByRole('radio', { name: 'HTML' }).check({ force: true })
  await expect(page.getByRole('region', { name: 'Preview of the reply' }).locator('svg')).toBeVisible()
  await page.getByRole('radio', { name: 'Jira' }).check({ force: true })
  await expect(reply).toHaveValue(/\{noformat\}/)
  await page.getByRole('button', { name: 'Copy reply' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('H5Pset_dxpl_mpio')
  await page.getByRole('button', { name: 'It is answered' }).click()
  await page.getByLabel('A note, in Markdown').fill('They **restart** nightly.')
  await page.getByRole('button', { name: 'Add note' }).click()
  await expect(page.getByRole('strong').filter({ hasText: 'restart' })).toBeVisible()

  await page.getByRole('button', { name: 'Add a rerun' }).click()
  await page.getByLabel('Drop logs here').setInputFiles(AFTER)
  await expect(page.getByRole('heading', { name: /^Helped, 16\.8 times faster: its I\/O took/ })).toBeVisible(
    {
      timeout: 60_000,
    },
  )
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(page.getByRole('list').filter({ hasText: 'from answered to closed' })).toBeVisible()
  await keepsNobodyOutInEitherTheme(page)
  await fitsWindows(page, [390, 1440])

  await page.getByRole('link', { name: 'Before and after, side by side' }).click()
  await page.waitForURL(/\/compare\?cases=/)
  await page.goto('/rules/independent-shared')
  await expect(page.getByText(/helped [1-9]\d* of [1-9]\d*/)).toBeVisible()
})
