import { caseOf } from '../sweep/cases'
import { drawn, expect, findingRow, sample, tabTo, test } from './stage'

test('a newcomer opens a sample, then the rule behind its finding', async ({ page }) => {
  await page.goto('/')
  const sample = page
    .getByRole('region', { name: 'Samples' })
    .getByRole('link', { name: /Small, unaligned writes/ })
  await expect(sample).not.toContainText('Being read')
  const sentence = (await sample.locator('b').textContent()) ?? ''
  await sample.click()

  await expect(page.getByRole('heading', { level: 1 })).toHaveText(sentence)
  // Its frame tells it from a sentence, as in a table.
  await expect(page.locator('p > a[class*="cite"]').first()).toHaveCSS('text-decoration-line', 'none')
  const finding = findingRow(page, 'independent-shared')
  await finding.getByRole('link', { name: 'The rule, and when it is wrong' }).click()
  await expect(page).toHaveURL(/\/rules\/independent-shared$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('the keyboard alone reaches a sample, its findings and its evidence', async ({ page }) => {
  await page.goto('/')
  const sample = page.getByRole('region', { name: 'Samples' }).getByRole('link').first()
  await expect(sample).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await tabTo(sample, 60)
  await page.keyboard.press('Enter')

  await expect(page.getByRole('heading', { name: 'What is wrong, and how sure' })).toBeVisible()
  const place = page.getByRole('button', { name: /^(POSIX|MPIIO)_/ }).first()
  await tabTo(place, 120)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(place).toBeFocused()
})

test('an address of a part of a page opens there, and a page loaded again stays where it was', async ({
  page,
  request,
}) => {
  const address = `/cases/${await caseOf(request, sample('darshan_log/39-heat2d-legacy'))}`
  const top = (id: string) => page.locator(`#${id}`).evaluate((part) => part.getBoundingClientRect().top)
  for (const [where, id] of [
    ['?open=clear#f-clear', 'f-clear'],
    ['#charts', 'charts'],
  ] as const) {
    // A page of another address is left in between: what is loaded again stays where it was.
    await page.goto('/glossary')
    await page.goto(`${address}${where}`)
    await expect.poll(() => top(id).catch(() => Number.NaN)).toBeLessThan(200)
    expect(await top(id)).toBeGreaterThan(-1)
  }
  await drawn(page)
  // Whoever presses a key goes their own way.
  await page.keyboard.press('Shift')
  await page.evaluate(() => scrollBy(0, -700))
  const scrolled = () => page.evaluate(() => scrollY)
  const was = await scrolled()
  await page.reload()
  await expect.poll(scrolled).toBe(was)
  await drawn(page)
  expect(await scrolled()).toBe(was)
})

test('no name in a bar moves when another page, or another view of a case, is opened', async ({ page }) => {
  const places = (bar: string) =>
    page
      .getByRole('navigation', { name: bar })
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().left))
  const stay = async (bar: string, names: readonly string[]) => {
    await expect(page.getByRole('navigation', { name: bar })).toBeVisible()
    await page.evaluate(() => document.fonts.ready)
    const were = await places(bar)
    for (const name of names) {
      const link = page.getByRole('navigation', { name: bar }).getByRole('link', { name, exact: true })
      await link.click()
      await expect(link).toHaveAttribute('aria-current', 'page')
      expect(await places(bar)).toEqual(were)
    }
  }
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Queue' })).toBeVisible()
  await stay('Main', ['Rules', 'Compare', 'Queue', 'Cases'])
  await page
    .getByRole('region', { name: 'Samples' })
    .getByRole('link', { name: /Small, unaligned writes/ })
    .click()
  await drawn(page)
  await stay('Views of this case', ['Files', 'Ranks', 'Evidence', 'Diagnosis'])
})

test('a wrong address says so and leads back', async ({ page }) => {
  await page.goto('/nowhere')
  await page.getByRole('main').getByRole('link').first().click()
  await expect(page).toHaveURL(/\/$/)
})

test('a command is read whole before it is copied, however narrow the window', async ({ page }) => {
  await page.goto('/')
  const samples = page.getByRole('region', { name: 'Samples' })
  await samples.getByRole('link', { name: /Small, unaligned writes/ }).click()
  const command = page.locator('code', { hasText: 'MPI_File_write_at_all' }).first()
  for (const width of [1280, 900, 768, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await expect(command).toBeVisible()
    expect(await command.evaluate((code) => code.scrollWidth - code.clientWidth)).toBe(0)
  }
})

test('on a phone a counter has its whole name, beside its value and above its file', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  await page
    .getByRole('region', { name: 'Samples' })
    .getByRole('link', { name: /A small application, before/ })
    .click()
  await page.getByRole('link', { name: 'Evidence' }).click()
  const counters = page.getByRole('region', { name: 'Counters' })
  const name = counters.getByText('POSIX_MAX_BYTE_WRITTEN').first()
  await expect(name).toBeVisible()
  expect(await name.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBeLessThanOrEqual(0)
  const file = counters.getByText(/ckpt\./).first()
  await expect(file).toBeVisible()
})
