import type { Locator, Page } from '@playwright/test'
import { caseOf } from '../sweep/cases'
import { expect, fitsWindows, keepsNobodyOutInEitherTheme, sample, tabTo, test } from './stage'

const BEFORE = sample('darshan_log/39-heat2d-legacy')
const AFTER = sample('darshan_log/40-heat2d-tuned')

/** Moves along the queue by j and k, until the entry is the one that is looked at. */
async function moveTo(page: Page, row: Locator): Promise<void> {
  const place = (one: Locator) => one.evaluate((element) => (element as HTMLTableRowElement).rowIndex)
  const to = await place(row)
  for (let at = await place(page.locator('tr[aria-current]')); at !== to; at += to > at ? 1 : -1) {
    await page.keyboard.press(to > at ? 'j' : 'k')
    await expect(page.getByRole('row').nth(at + (to > at ? 1 : -1))).toHaveAttribute('aria-current', 'true')
  }
}

test('a helpdesk takes a log from the queue to a copied reply, and its rerun closes the ticket', async ({
  page,
  request,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const id = await caseOf(request, BEFORE)
  await page.goto('/queue?q=history.h5')
  const row = page.getByRole('row').filter({ has: page.locator(`a[href*="${id}"]`) })
  await expect(row).toContainText('Ranks access a shared file independently')
  await expect(row.getByRole('img', { name: /MPI-IO 48\.0 MiB/ })).toBeVisible()
  await keepsNobodyOutInEitherTheme(page)
  await fitsWindows(page, [390, 1440])

  // From here to the copied reply nobody touches a mouse.
  await moveTo(page, row)
  await page.keyboard.press('a')
  const ticket = page.getByRole('row').filter({ hasText: 'in work' }).first()
  await expect(ticket).toContainText('you')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toContainText('next entry')
  await page.keyboard.press('Escape')
  await page.keyboard.press('o')
  await page.waitForURL(/\/tickets\/\d+/)

  await expect(page.getByRole('checkbox', { name: /Syncs after every write or every few/ })).toBeVisible()
  await tabTo(page.getByRole('checkbox', { name: /Syncs after every write or every few/ }), 120)
  await page.keyboard.press('Space')
  const reply = page.getByRole('textbox', { name: 'Text of the reply' })
  await expect(page.getByText('About 2 findings.')).toBeVisible()
  await expect(reply).toHaveValue(/MPIIO_INDEP_WRITES/)
  await expect(reply).toHaveValue(/threshold ≥ 50 %: ARCHER2\s+User Guide/)
  await tabTo(page.getByRole('radio', { name: 'Text', exact: true }), 120)
  for (const form of ['Markdown', 'Jira', 'HTML']) {
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('radio', { name: form })).toBeChecked()
  }
  await expect(page.getByRole('region', { name: 'Preview of the reply' }).locator('svg')).toBeVisible()
  await page.keyboard.press('ArrowLeft')
  await expect(reply).toHaveValue(/\{noformat\}/)
  await tabTo(page.getByRole('button', { name: 'Copy reply' }), 120)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('H5Pset_dxpl_mpio')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Mark as answered' })).toBeFocused()
  await page.keyboard.press('m')
  await expect(page.getByLabel('Status')).toHaveValue('answered')
  await page.getByLabel('A note, in Markdown').fill('They **restart** nightly.')
  await page.getByRole('button', { name: 'Add note' }).click()
  await expect(page.getByRole('strong').filter({ hasText: 'restart' })).toBeVisible()

  await test.step('two write at once: both texts stand side by side, and one is chosen', async () => {
    const colleague = await context.newPage()
    await colleague.goto(page.url())
    const says = async (who: Page, subject: string) => {
      await who.getByRole('textbox', { name: 'Subject' }).fill(subject)
      await who.getByRole('button', { name: 'Save' }).click()
    }
    for (const who of [page, colleague]) await who.getByRole('button', { name: 'Edit', exact: true }).click()
    await says(page, 'Slow restarts')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Slow restarts')
    const refused = colleague.waitForResponse((answer) => answer.request().method() === 'PATCH')
    await says(colleague, 'Slow writes')
    expect((await refused).status()).toBe(409)
    await expect(colleague.getByText('Somebody else changed the ticket meanwhile')).toBeVisible()
    await expect(colleague.getByRole('region', { name: 'Details' })).toContainText('Slow restarts')
    await expect(colleague.getByRole('textbox', { name: 'Subject' })).toHaveValue('Slow writes')
    await keepsNobodyOutInEitherTheme(colleague)
    await colleague.getByRole('button', { name: 'Take their subject' }).click()
    await colleague.getByRole('button', { name: 'Save' }).click()
    await expect(colleague.getByRole('heading', { level: 1 })).toHaveText('Slow restarts')
    await colleague.close()
  })

  await page.getByRole('button', { name: 'Add a run' }).click()
  // Its job began before the ticket was answered, as those of samples do.
  await page.getByRole('radio', { name: 'after the advice' }).check()
  await page.getByLabel('Drop logs here').setInputFiles(AFTER)
  await expect(
    page.getByRole('heading', {
      name: /^Helped, 13\.9 to 16\.2 times faster: its I\/O took 0\.59\ss to 0\.68\ss/,
    }),
  ).toBeVisible({
    timeout: 60_000,
  })
  // The run put the answered ticket back to work.
  await expect(page.getByRole('list').filter({ hasText: 'from answered to in work' })).toBeVisible()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(page.getByRole('list').filter({ hasText: 'from in work to closed' })).toBeVisible()
  await keepsNobodyOutInEitherTheme(page)
  await fitsWindows(page, [390, 1440])

  await page.getByRole('link', { name: 'Before and after, side by side' }).click()
  await page.waitForURL(/\/compare\?cases=/)
  await page.goto('/queue?q=history.h5&status=all')
  await expect(row).toContainText('Rerun: helped, 13.9 to 16.2 times faster')
  await page.goto('/rules/independent-shared')
  await expect(page.getByText(/helped [1-9]\d* of [1-9]\d*/)).toBeVisible()
})

test("the queue has all of a ticket's reference, underlined as a link among words", async ({ page }) => {
  for (const reference of ['RT-88412', 'HPC-SUPPORT-2026-0088412', 'a'.repeat(60)]) {
    await page.request.post('/api/v1/tickets', { data: { subject: 'Slow writes', reference } })
    await page.goto(`/queue?q=${reference}`)
    const name = page.getByRole('cell').getByRole('link', { name: reference }).locator('span')
    await name.scrollIntoViewIfNeeded()
    await expect(name).toBeInViewport({ ratio: 1 })
    await expect(name).toHaveCSS('text-decoration-line', 'underline')
  }
})

test('two tickets about one thing are made one, to which both references lead', async ({ page, request }) => {
  const opened = async (fields: object): Promise<number> => {
    const made = await request.post('/api/v1/tickets', { data: fields })
    const { id } = await made.json()
    return Number(id)
  }
  const kept = await opened({ subject: 'slow restart', reference: 'RT-7001' })
  const other = await opened({ subject: 'slow again', reference: 'RT-7002', note: 'It is slow **again**.' })
  await page.goto(`/tickets/${kept}`)
  await page.getByRole('button', { name: 'Join another' }).click()
  const panel = page.getByRole('dialog', { name: 'Join another ticket into this' })
  await panel.getByLabel('Number or reference').fill('RT-7002')
  await page.keyboard.press('Enter')
  await expect(panel.getByText('slow again. 0 runs and 1 note.')).toBeVisible()
  await keepsNobodyOutInEitherTheme(page)
  await panel.getByRole('button', { name: 'Join it into RT-7001' }).click()
  await expect(panel).toBeHidden()
  await expect(page.getByText('It is slow again.')).toBeVisible()
  await expect(page.getByText('joined RT-7002 into it: slow again')).toBeVisible()
  await fitsWindows(page, [390, 1440])
  await page.goto(`/tickets/${other}`)
  await page.waitForURL(`/tickets/${kept}`)
  await page.goto('/queue?q=RT-7002')
  await expect(page.getByRole('link', { name: 'RT-7001' }).first()).toBeVisible()
})
