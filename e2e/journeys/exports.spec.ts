import { readFileSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { diagnose, expect, findingRow, keepsNobodyOut, sample, test } from './stage'

const SMALL_WRITES = sample('darshan_log/06-shared-indep-1000b-unaligned')

test('a case leaves as one web page that opens without a server, and thresholds move in it', async ({
  page,
  browser,
}, info) => {
  await diagnose(page, SMALL_WRITES)
  const sentence = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
  await page.getByRole('button', { name: 'Export' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download as Web page' }).click()
  const file = info.outputPath('case.html')
  await (await download).saveAs(file)
  expect(statSync(file).size).toBeLessThan(1_500_000)

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
    await expect(saved.getByRole('heading', { level: 1 })).not.toHaveText(/^There is not|^What is wrong with/)
    await expect(saved.getByRole('main'), link).not.toContainText('This page is a file')
  }
  expect(asked.filter((url) => !/^(file|data|blob):/.test(url))).toEqual([])
  expect(problems).toEqual([])
  await context.close()
})

test('a case leaves as text for a ticket, with the numbers the reader chose', async ({ page }, info) => {
  await diagnose(page, SMALL_WRITES)
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
