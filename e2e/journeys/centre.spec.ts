import { centreServer, EARLIER, LATER } from './centre'
import { drawn, expect, fitsWindows, keepsNobodyOutInEitherTheme, open, test } from './stage'

test.describe('a centre', () => {
  const { server, entrance } = centreServer(4)

  test('opens the report of the last day; another day names a job that needs help, and its log becomes a case', async ({
    page,
  }) => {
    await page.goto(entrance())
    await open(page, `${server}/centre`)
    await expect(page).toHaveURL(new RegExp(`centre/${LATER}$`))

    await test.step('the report of another day', async () => {
      await page.getByLabel('Day', { exact: true }).fill(EARLIER)
      await expect(page).toHaveURL(new RegExp(`centre/${EARLIER}$`))
      await expect(page.getByText('What became of the 3 logs?')).toBeVisible()
      await drawn(page)
      await keepsNobodyOutInEitherTheme(page)
      await fitsWindows(page, [390, 2560])
      // A4 less its margins: what would be scrolled to is cut there.
      await page.emulateMedia({ media: 'print' })
      await fitsWindows(page, [718])
      await page.emulateMedia({ media: 'screen' })
    })

    await test.step('a row leads to its log, and the log to its case', async () => {
      await page
        .getByRole('listitem')
        .filter({ hasText: 'a cure could save' })
        .first()
        .getByRole('link')
        .click()
      await expect(page.getByRole('heading', { name: 'What was found when it was taken in' })).toBeVisible()
      const said = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
      await keepsNobodyOutInEitherTheme(page)
      await page.getByRole('button', { name: 'Open its case' }).click()
      await page.waitForURL(/\/cases\/[a-z0-9]+/)
      await drawn(page)
      await expect(page.getByRole('heading', { level: 1 })).toContainText(said.split('.')[0] ?? said)
    })
  })
})
