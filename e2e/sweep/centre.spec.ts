import { centreServer, EARLIER, LATER } from '../journeys/centre'
import { expect, open, test } from '../journeys/stage'
import { EVERY_WINDOW, expectNone, Findings, visit, watchShifts } from './visit'

test.describe.configure({ timeout: 600_000 })
test.beforeEach(({ page }) => watchShifts(page))

const { server, entrance } = centreServer(8)

test('the reports of a centre, a log of its day, and a rule over its days', async ({ page }) => {
  const found = new Findings()
  await page.goto(entrance())
  for (const day of [LATER, EARLIER]) await visit(page, day, `${server}/centre/${day}`, EVERY_WINDOW, found)
  await open(page, `${server}/centre/${EARLIER}`)
  const log = page.getByRole('main').locator('a[href*="/logs/"]').first()
  await expect(log).toBeVisible()
  await visit(page, 'log', `${server}${await log.getAttribute('href')}`, EVERY_WINDOW, found)
  await visit(page, 'rule', `${server}/rules/small-io`, EVERY_WINDOW, found)
  expectNone('centre', found)
})
