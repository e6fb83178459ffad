import type { Page } from '@playwright/test'
import {
  expect,
  fitsWindows,
  keepsNobodyOut,
  keepsNobodyOutInEitherTheme,
  open,
  openCase,
  openView,
  sample,
  test,
} from './stage'

const PAGES = [
  '/',
  '/rules',
  '/rules/single-aggregator',
  '/sites/archer2',
  '/access',
  '/administration',
  '/nowhere',
]
const WIDTHS = [390, 1280]

test('nothing on a page that is no case keeps anybody out, light or dark, wide or narrow', async ({
  page,
}) => {
  for (const path of PAGES)
    await test.step(path, async () => {
      await open(page, path)
      await keepsNobodyOutInEitherTheme(page)
      await fitsWindows(page, WIDTHS)
    })
})

test('nothing on a case keeps anybody out, folded or unfolded, light or dark, wide or narrow', async ({
  page,
}) => {
  await openCase(page, sample('darshan_log/39-heat2d-legacy'))
  await keepsNobodyOut(page)
  await unfold(page)
  await keepsNobodyOutInEitherTheme(page)
  await fitsWindows(page, WIDTHS)
  await page
    .getByRole('button', { name: /^(POSIX|MPIIO|STDIO)_/ })
    .first()
    .click()
  await expect(page.getByRole('dialog').getByRole('table')).toBeVisible()
  await keepsNobodyOutInEitherTheme(page, 'dialog[open]')
})

test('nothing on the evidence and its second opinion keeps anybody out, light or dark', async ({ page }) => {
  await openView(page, sample('darshan_log/47-darshan-main-apmpi'), 'evidence')
  await page.getByRole('button', { name: 'Ask pydarshan' }).click()
  await expect(page.getByText(/values agree with pydarshan/)).toBeVisible()
  await keepsNobodyOutInEitherTheme(page)
})

/** By their lines, as a person does: what a finding holds is drawn when it is opened. */
const unfold = (page: Page) =>
  page.evaluate(() => {
    for (const line of document.querySelectorAll<HTMLElement>('main details:not([open]) > summary'))
      line.click()
  })
