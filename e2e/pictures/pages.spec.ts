import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { diagnose, drawn, expect, GALLERY, open, sample, test } from '../journeys/stage'

/** What the README shows is kept with it; the others are drawn to be looked at. */
const KEPT = join(import.meta.dirname, '../../docs/pictures')
const LOOKED_AT = join(import.meta.dirname, '../../.stamps/pictures')
const SHOWN = new Set(['start', 'case', 'charts', 'thresholds', 'timeline', 'compare'])
const JOB = [
  ...sample('darshan_log/lustre-ssf-one-stripe'),
  ...sample('mpich_stats/bad-collective-write-one-aggregator'),
]
const TRACED = sample('darshan_log/39-heat2d-legacy')
const TUNED = sample('darshan_log/40-heat2d-tuned')
const OTHERS = {
  rules: '/rules',
  rule: '/rules/single-aggregator',
  site: '/sites/archer2',
  glossary: '/glossary',
  ...Object.fromEntries(GALLERY.map((part) => [`gallery-${part}`, `gallery?part=${part}`])),
}
const WINDOWS = {
  '': { viewport: { width: 1440, height: 1000 }, deviceScaleFactor: 1 },
  '-phone': { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [suffix, size] of Object.entries(WINDOWS)) {
    test.describe(`${colorScheme}${suffix}`, () => {
      test.use({ colorScheme, ...size })
      const draw = async (page: Page, name: string) => {
        await page.waitForLoadState('networkidle')
        await page.screenshot({
          path: join(SHOWN.has(name) ? KEPT : LOOKED_AT, `${name}${suffix}-${colorScheme}.png`),
          animations: 'disabled',
          fullPage: !SHOWN.has(name),
        })
      }

      test('start', async ({ page }) => {
        await page.goto('/')
        const samples = page.getByRole('region', { name: 'Samples' })
        await expect(samples.getByRole('link').first()).toBeVisible()
        await expect(samples).not.toContainText('Being read')
        await drawn(page)
        await draw(page, 'start')
      })

      test('case', async ({ page }) => {
        await diagnose(page, JOB)
        await drawn(page)
        await draw(page, 'case')
      })

      test('charts', async ({ page }) => {
        await diagnose(page, JOB)
        await page
          .getByRole('heading', { name: 'Charts', exact: true })
          .evaluate((heading) => heading.scrollIntoView())
        await drawn(page)
        await draw(page, 'charts')
      })

      test('views of a case', async ({ page }) => {
        await diagnose(page, TRACED)
        const address = page.url().split('?')[0]
        await drawn(page)
        await draw(page, 'diagnosis')
        for (const view of ['timeline', 'ranks', 'files', 'evidence']) {
          await open(page, `${address}/${view}`)
          await expect(page.getByText('Looking closer …')).toHaveCount(0)
          await draw(page, view)
        }
      })

      test('compare', async ({ page }) => {
        await diagnose(page, TRACED)
        const before = page.url().match(/cases\/([a-z0-9]+)/)?.[1]
        await diagnose(page, TUNED)
        const after = page.url().match(/cases\/([a-z0-9]+)/)?.[1]
        await page.goto(`/compare?cases=${before},${after}`)
        await expect(page.getByRole('heading', { level: 1 })).toContainText('faster')
        await drawn(page)
        await draw(page, 'compare')
      })

      for (const [name, path] of Object.entries(OTHERS)) {
        test(name, async ({ page, gallery }) => {
          await open(page, path.replace(/^gallery/, gallery))
          await draw(page, name)
        })
      }

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
