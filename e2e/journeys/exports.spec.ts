import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Page } from '@playwright/test'
import { expect, findingRow, keepsNobodyOut, openCase, sample, test } from './stage'

const SMALL_WRITES = sample('darshan_log/06-shared-indep-1000b-unaligned')

/** Selects all of the timeline, and reads what its calls add up to. */
async function selected(page: Page): Promise<string[]> {
  await page.getByRole('application').first().focus()
  await page.keyboard.press('s')
  const figures = page.getByRole('region', { name: 'Selection' }).getByRole('row')
  await expect(figures.nth(1)).toBeVisible()
  // Which OSTs hold the bytes is told by a server alone.
  return (await figures.allTextContents()).filter((row) => !row.startsWith('OSTs'))
}

test('a case leaves as one web page that opens without a server, and thresholds move in it', async ({
  page,
  browser,
}, info) => {
  await openCase(page, SMALL_WRITES)
  const sentence = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
  await page.getByRole('link', { name: 'Timeline', exact: true }).click()
  const whole = await selected(page)
  await page.getByRole('button', { name: 'Export' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download as Web page' }).click()
  const file = info.outputPath('case.html')
  await (await download).saveAs(file)
  expect(statSync(file).size).toBeLessThan(2_000_000)

  const context = await browser.newContext({ offline: true })
  const saved = await context.newPage()
  const asked: string[] = []
  saved.on('request', (request) => asked.push(request.url()))
  const problems: string[] = []
  saved.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await saved.goto(pathToFileURL(file).href)
  await expect(saved.getByRole('heading', { level: 1 })).toHaveText(sentence)
  await expect(saved.getByRole('heading', { name: 'Are the calls collective?' })).toBeVisible()
  await expect(findingRow(saved, 'independent-shared')).toContainText('high')
  await keepsNobodyOut(saved)

  await test.step('its timeline says of a selection what the server said, and Show me plays', async () => {
    await saved.getByRole('link', { name: 'Timeline', exact: true }).click()
    await expect(saved.getByText('Every write is drawn, 8,000 of them').first()).toBeVisible()
    expect(await selected(saved)).toEqual(whole)
    // A file has no list of cases to lead to.
    await expect(saved.getByRole('link', { name: 'Cases', exact: true })).toHaveCount(0)
    await saved.getByRole('link', { name: 'Diagnosis', exact: true }).click()
    await saved.emulateMedia({ reducedMotion: 'no-preference' })
    await saved
      .getByRole('link', { name: /^Show me/ })
      .first()
      .click()
    const bar = saved.getByRole('region', { name: /^Show me: / })
    await expect(bar).toBeFocused()
    for (const at of ['2 of', '3 of', '4 of']) {
      await saved.keyboard.press('ArrowRight')
      await expect(bar).toContainText(at)
    }
    await saved.keyboard.press('Escape')
    await expect(bar).toHaveCount(0)
  })

  // No rank's pieces lie apart any more.
  await saved
    .getByRole('textbox', {
      name: "Accesses that continue the rank's last one, below which they are interleaved",
    })
    .fill('0')
  await saved.getByRole('textbox', { name: 'Accesses that are not aligned' }).fill('100')
  await expect(findingRow(saved, 'independent-shared')).toHaveCount(0)
  const links = await saved.evaluate(() =>
    [...document.querySelectorAll('a')].map((link) => link.href).filter((href) => href.includes('#/')),
  )
  expect(links.length).toBeGreaterThan(3)
  for (const link of new Set(links)) {
    await saved.goto(link)
    await expect(saved.getByRole('heading', { level: 1 })).not.toHaveText(/^There is no |^What is wrong with/)
    await expect(saved.getByRole('main'), link).not.toContainText('This page is a file')
  }
  expect(asked.filter((url) => !/^(file|data|blob):/.test(url))).toEqual([])
  expect(problems).toEqual([])

  await test.step('a file of which something is missing says so', async () => {
    const content = readFileSync(file, 'latin1')
    const inAnswers = content.indexOf('id="answers"') + 1000
    const cut = info.outputPath('cut.html')
    const words = saved.getByText('Where this line stays, the page is damaged or was cut short')
    await expect(words).toBeHidden()
    // Until the case is drawn a whole file says so, too: what is damaged says it still once its script has given up.
    writeFileSync(cut, content.slice(0, inAnswers) + content.slice(inAnswers + 40), 'latin1')
    const givenUp = saved.waitForEvent('pageerror')
    await saved.goto(pathToFileURL(cut).href)
    await givenUp
    await expect(words).toBeVisible()
    writeFileSync(cut, content.slice(0, inAnswers), 'latin1')
    await saved.goto(pathToFileURL(cut).href)
    await expect(words).toBeVisible()
  })

  await test.step('where scripts are forbidden, it says that, and nothing of the file', async () => {
    const plain = await browser.newContext({ offline: true, javaScriptEnabled: false })
    const unscripted = await plain.newPage()
    await unscripted.goto(pathToFileURL(file).href)
    await expect(unscripted.locator('noscript')).toBeVisible()
    await expect(unscripted.getByText('Where this line stays')).toBeHidden()
    await plain.close()
  })
  await context.close()
})

test('a case leaves on paper, and as text for a ticket', async ({ page }, info) => {
  await openCase(page, SMALL_WRITES)

  await test.step('on paper marks keep their colour, and nothing of the page around stands', async () => {
    await page.emulateMedia({ media: 'print' })
    const mark = page.getByRole('heading', { level: 1 })
    expect(await mark.evaluate((element) => getComputedStyle(element).printColorAdjust)).toBe('exact')
    await expect(page.getByRole('contentinfo')).toBeHidden()
    await expect(page.getByRole('banner')).toBeHidden()
    await page.emulateMedia({ media: 'screen' })
  })

  await test.step('the text has the numbers that the reader chose', async () => {
    await page.goto(`${page.url().split('?')[0]}?set=small-io.fraction:0.123`)
    await page.getByRole('button', { name: 'Export' }).click()
    await expect(page.getByRole('dialog')).toContainText('1 threshold moved')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as Plain text' }).click()
    const file = info.outputPath('case.txt')
    await (await download).saveAs(file)
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('Ranks access a shared file independently')
    expect(text.replace(/\s+/g, ' ')).toContain('used: 12.3 %')
    expect(text).toContain('moved by the reader')
  })
})

test('over plain HTTP, where a browser has no clipboard for pages, a text is copied from a panel', async ({
  page,
}) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await openCase(page, sample('darshan_log/06-shared-indep-1000b-unaligned'))
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const panel = page.getByRole('dialog')
  const copy = panel.getByRole('button', { name: 'Copy as' }).first()
  const copied = () =>
    page.evaluate(
      () =>
        new Promise<string>((said) => {
          const tell = ({ target }: Event) => said(target instanceof HTMLTextAreaElement ? target.value : '')
          document.addEventListener('copy', tell, { once: true })
        }),
    )
  const first = copied()
  await copy.click()
  expect(await first).toContain('## ')
  await expect(panel.getByText('Copied.')).toBeVisible()
  await expect(copy).toBeFocused()

  await test.step('also where a press gives a button no focus, as in Safari', async () => {
    const second = copied()
    await copy.evaluate((button: HTMLElement) => {
      button.blur()
      button.click()
    })
    expect(await second).toBe(await first)
  })
})
