import { expect, keepsNobodyOut, openCase, sample, test } from './stage'

test('a finding plays its evidence, by keyboard, stops, and begins from a link', async ({ page }) => {
  await openCase(page, sample('darshan_log/39-heat2d-legacy'))
  await page
    .getByRole('link', { name: /^Show me, in \d steps$/ })
    .first()
    .click()
  const bar = page.getByRole('region', { name: /^Show me: / })
  await expect(bar).toBeFocused()
  await expect(bar).toContainText(
    /1 of 5Independent share of MPI-IO writes: 100\s%, where the threshold is ≥ 50\s%/,
  )
  await keepsNobodyOut(page)

  await page.keyboard.press('ArrowRight')
  await expect(bar).toContainText('2 of 5In every chart: history.h5, its writes alone.')
  await expect(page.getByText(/^In every chart: history\.h5, writes/)).toBeVisible()
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/\/timeline\?.*step=3.*op=write/)
  await expect(bar).toContainText(/3 of 5history\.h5: written from 0\.53\ss to 9\.59\ss\./)
  await expect(page.getByText('Every write is drawn').first()).toBeVisible()
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/\/evidence\?.*counter=MPIIO_INDEP_WRITES/)
  await keepsNobodyOut(page)
  const link = page.url()
  await page.keyboard.press('Escape')
  await expect(bar).toHaveCount(0)
  await expect(page).not.toHaveURL(/play=/)
  const begun = page.locator('summary', { has: page.getByRole('heading', { level: 3 }) }).first()
  await expect(begun).toBeFocused()

  await page.goto(link)
  await expect(bar).toContainText('4 of 5')
  await bar.getByRole('button', { name: 'Back' }).click()
  await expect(page).toHaveURL(/\/timeline\?/)
  await bar.getByRole('button', { name: 'Stop' }).click()
  await expect(bar).toHaveCount(0)
  await expect(begun).toBeFocused()
})
