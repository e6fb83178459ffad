import { caseOf } from '../sweep/cases'
import { expect, keepsNobodyOut, openCase, sample, test } from './stage'

test('logs of two jobs given together are told apart, split, found again and compared', async ({ page }) => {
  await page.goto('/')
  await page
    .getByLabel('Drop logs here')
    .setInputFiles([...sample('darshan_log/14-balanced'), ...sample('darshan_log/13-imbalanced-rank0')])
  await page.waitForURL(/\/cases\/[a-z0-9]+/)

  // Each job becomes a case by itself.
  await page.waitForURL(/\/$/)
  await keepsNobodyOut(page)
  const recent = page.getByRole('region', { name: 'Recent cases' })
  await expect(recent.getByRole('table')).not.toContainText('Being read')
  await recent.getByRole('searchbox').fill('patterns moves far more')
  await expect(page).toHaveURL(/\?q=patterns\+moves\+far\+more$/)
  await expect(recent.getByRole('row', { name: /One rank moves far more data/ }).first()).toBeVisible()
  await expect(recent.getByRole('row', { name: /Nothing wrong/ })).toHaveCount(0)

  await recent.getByRole('searchbox').fill('')
  await recent.getByLabel('Order of the cases').selectOption('worst first')
  await expect(page).toHaveURL(/\?order=severity$/)
  await recent.getByRole('checkbox').nth(0).check()
  await recent.getByRole('checkbox').nth(1).check()
  await recent.getByRole('link', { name: 'Compare these 2' }).click()
  await expect(page).toHaveURL(/\/compare\?cases=/)
})

test('a case whose files were given again leads to the newer one, on a phone too', async ({
  page,
  request,
}) => {
  const files = sample('darshan_log/22-ckpt-keep-open')
  const first = `/cases/${await caseOf(request, files)}`
  const second = `/cases/${await caseOf(request, files)}`
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  const recent = page.getByRole('region', { name: 'Recent cases' })
  const older = recent.getByRole('row').filter({ has: page.locator(`a[href$="${first}"]`) })
  const newer = older.getByTitle('The newest case of the same files')
  await expect(newer).toBeVisible()
  await keepsNobodyOut(page)
  await newer.click()
  await expect(page).toHaveURL(second)
})

test('a view whose script does not come is said in its place, and the case stands', async ({
  browser,
  baseURL,
}) => {
  // A page of its own: what does not come is written to the console.
  const page = await browser.newPage({ ...(baseURL && { baseURL }) })
  await openCase(page, sample('darshan_log/14-balanced'))
  const address = page.url()
  await page.route(/assets\/Evidence-/, (route) => route.abort())
  await page.getByRole('link', { name: 'Evidence', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('This part of the page could not be fetched')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.getByRole('link', { name: 'Diagnosis', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'What is wrong, and how sure' })).toBeVisible()

  await page.route(/assets\/download-/, (route) => route.abort())
  const chart = page.getByRole('figure', { name: 'Are the calls collective?' })
  await chart.getByRole('button', { name: 'Save the chart as SVG' }).click()
  await expect(chart.getByRole('alert')).toContainText('The chart could not be saved')

  await page.route(/assets\/Charts-/, (route) => route.abort())
  await page.reload()
  await expect(page.getByRole('alert')).toContainText('The charts and the files could not be fetched')
  await expect(page.getByRole('heading', { name: 'What is wrong, and how sure' })).toBeVisible()

  await page.route(/assets\/safeMarkup-/, (route) => route.abort())
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/queue')
  await expect(page.getByText('As it is written: what shows how it reads could not be fetched')).toBeVisible()
  await expect(page.getByText(/We looked at the I\/O of/)).toBeVisible()

  await page.goto(`${address}/triage`)
  await page.getByText('HTML', { exact: true }).click()
  await page.getByRole('button', { name: 'Copy reply' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  await page.close()
})
