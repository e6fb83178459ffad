import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { diagnose, expect, sample, test } from '../journeys/stage'

const PICTURES = join(import.meta.dirname, '../../docs/pictures')
const JOB = [
  ...sample('darshan_log/lustre-ssf-one-stripe'),
  ...sample('mpich_stats/bad-collective-write-one-aggregator'),
]
const WINDOWS = {
  '': { viewport: { width: 1440, height: 1000 }, deviceScaleFactor: 1 },
  '-phone': { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [suffix, size] of Object.entries(WINDOWS)) {
    test.describe(`${colorScheme}${suffix}`, () => {
      test.use({ colorScheme, ...size })
      const draw = (page: Page, name: string) =>
        page.screenshot({
          path: join(PICTURES, `${name}${suffix}-${colorScheme}.png`),
          animations: 'disabled',
        })

      test('start', async ({ page }) => {
        await page.goto('/')
        await expect(page.getByRole('region', { name: 'Samples' })).not.toContainText('Being read')
        await draw(page, 'start')
      })

      test('case', async ({ page }) => {
        await diagnose(page, JOB)
        await page.waitForLoadState('networkidle')
        await draw(page, 'case')
      })

      test('charts', async ({ page }) => {
        await diagnose(page, JOB)
        await page.getByRole('heading', { name: 'Pictures' }).evaluate((heading) => heading.scrollIntoView())
        await page.waitForLoadState('networkidle')
        await draw(page, 'charts')
      })

      test('thresholds', async ({ page }) => {
        await diagnose(page, JOB)
        const unfold = page.locator('summary', { hasText: /^Move the/ }).first()
        if (await unfold.isVisible()) await unfold.click()
        const field = page
          .getByRole('textbox', { name: /^Ranks that moved the bytes/ })
          .and(page.locator(':visible'))
          .first()
        await field.fill('6')
        await field.evaluate((input) => input.scrollIntoView({ block: 'center' }))
        await draw(page, 'thresholds')
      })
    })
  }
}
