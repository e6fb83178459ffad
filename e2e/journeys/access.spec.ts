import type { Page } from '@playwright/test'
import { diagnose, expect, GALLERY, keepsNobodyOut, open, sample, test } from './stage'

const PAGES = [
  '/',
  '/rules',
  '/rules/single-aggregator',
  '/sites/archer2',
  '/nowhere',
  ...GALLERY.map((part) => `gallery?part=${part}`),
]
/** The gallery has a server of its own. */
const addressOf = (path: string, gallery: string) => path.replace(/^gallery/, gallery)

const WIDTHS = [390, 1280]

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`${colorScheme} theme`, () => {
    test.use({ colorScheme })

    for (const path of PAGES) {
      test(`nothing on ${path} keeps anybody out`, async ({ page, gallery }) => {
        await open(page, addressOf(path, gallery))
        await keepsNobodyOut(page)
      })
    }

    test('nothing on a case keeps anybody out, folded or unfolded', async ({ page }) => {
      await diagnose(page, sample('darshan_log/39-heat2d-legacy'))
      await keepsNobodyOut(page)
      await unfold(page)
      await keepsNobodyOut(page)
      await page
        .getByRole('button', { name: /^(POSIX|MPIIO|STDIO)_/ })
        .first()
        .click()
      await expect(page.getByRole('dialog').getByRole('table')).toBeVisible()
      await keepsNobodyOut(page)
    })

    test('nothing on the evidence and its second opinion keeps anybody out', async ({ page }) => {
      await diagnose(page, sample('darshan_log/47-darshan-main-apmpi'))
      await page.getByRole('link', { name: 'Evidence' }).click()
      await page.getByRole('button', { name: 'Ask pydarshan' }).click()
      await expect(page.getByText(/values agree with pydarshan/)).toBeVisible()
      await keepsNobodyOut(page)
    })
  })
}

for (const width of WIDTHS) {
  test(`no page is wider than a window of ${width} pixels`, async ({ page, gallery }) => {
    await page.setViewportSize({ width, height: 844 })
    await diagnose(page, sample('darshan_log/39-heat2d-legacy'))
    await unfold(page)
    await expect.poll(() => overflow(page), 'a case').toBe(0)
    for (const path of PAGES) {
      await open(page, addressOf(path, gallery))
      await expect.poll(() => overflow(page), path).toBe(0)
    }
  })
}

/** By their lines, as a person does: what a finding holds is drawn when it is opened. */
const unfold = (page: Page) =>
  page.evaluate(() => {
    for (const line of document.querySelectorAll<HTMLElement>('main details:not([open]) > summary'))
      line.click()
  })

/** Pixels by which the page must be scrolled sideways. */
const overflow = (page: Page) =>
  page.evaluate(() =>
    Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
  )
