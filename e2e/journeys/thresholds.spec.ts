import { expect, findingRow, openCase, sample, test } from './stage'

const RANKS = 'Ranks that moved the bytes, up to which it is one'
const ROOM = 'Aggregators that ranks and file size allow, from which one is too few'

test('a threshold that is moved decides again, and the address carries it', async ({ page }) => {
  await openCase(page, sample('darshan_log/lustre-ssf-one-stripe'))
  await expect(findingRow(page, 'single-aggregator')).toContainText('high')
  const room = page.getByRole('textbox', { name: ROOM })

  await test.step("a slider moves with the keyboard, and one click goes back to the document's number", async () => {
    const slider = page.getByRole('slider', { name: RANKS })
    await slider.focus()
    await slider.press('Home')
    await expect(page).toHaveURL(/set=single-aggregator/)

    await page.getByRole('button', { name: 'Back to it' }).click()
    await expect(page).not.toHaveURL(/set=/)
    await expect(page.getByRole('textbox', { name: RANKS })).toHaveValue('1.5')
  })

  await test.step('a field takes no number beyond its bounds, and stays where it is while one is typed that clears its finding', async () => {
    await room.fill('1')
    await expect(room).toHaveAttribute('aria-invalid', 'true')
    await expect(page).not.toHaveURL(/set=/)
    await room.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('1024')
    await expect(page).toHaveURL(/set=single-aggregator\.[a-z-]+:1024$/)
    await expect(room).toHaveValue('1024')
    await expect(findingRow(page, 'single-aggregator')).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).not.toContainText('One rank')
  })

  await test.step('loaded again it holds, and without it the document does', async () => {
    await page.reload()
    await expect(page.getByRole('heading', { name: 'What is wrong, and how sure' })).toBeVisible()
    await expect(findingRow(page, 'single-aggregator')).toHaveCount(0)

    await page.goto(page.url().replace(/\?.*/, ''))
    await expect(findingRow(page, 'single-aggregator')).toContainText('high')
  })

  await test.step("another site's profile holds at once, and the address carries it", async () => {
    await page
      .getByRole('combobox', { name: 'Site whose thresholds hold' })
      .selectOption({ label: 'Any system' })
    await expect(page).toHaveURL(/site=generic/)
    await expect(page.getByText('Chosen by you instead of ARCHER2')).toBeVisible()

    await page.reload()
    await expect(page.getByRole('combobox', { name: 'Site whose thresholds hold' })).toHaveValue('generic')
  })
})

test('where a window has no room beside the findings, Tab goes from them to the thresholds below', async ({
  page,
}) => {
  await openCase(page, sample('darshan_log/lustre-ssf-one-stripe'))
  const thresholds = page.getByRole('complementary', { name: 'Thresholds', exact: true })
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await expect(thresholds).toHaveCount(width === 390 ? 1 : 0)
    const order = await page.evaluate(() => {
      const [aside, findings] = ['aside', '#findings'].map((one) => document.querySelector(one))
      if (!aside || !findings) return null
      const field = aside.querySelector('select, input') ?? aside
      const [first, then] = [field, findings].map((one) => one.getBoundingClientRect())
      const after = aside.compareDocumentPosition(findings) & Node.DOCUMENT_POSITION_FOLLOWING
      return {
        read: after ? 'before' : 'after',
        seen: first && then && first.top > then.bottom ? 'after' : 'before',
      }
    })
    expect(order).toMatchObject(width === 390 ? { read: 'after', seen: 'after' } : { read: 'before' })
  }
})
