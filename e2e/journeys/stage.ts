import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import axe, { type RunOptions } from 'axe-core'
import { caseOf } from '../sweep/cases'
import { faintIn } from '../sweep/judge'
import { snapshotOf } from '../sweep/snapshot'
import { withoutPointer } from './keyboard'

const SAMPLES = join(import.meta.dirname, '../../sample-logs')

/** The sources of a sample: `darshan_log/06-shared-indep-1000b-unaligned`. */
export function sample(name: string): string[] {
  const folder = join(SAMPLES, name)
  return readdirSync(folder)
    .filter((file) => file.endsWith('.darshan') || file.endsWith('.txt'))
    .map((file) => join(folder, file))
}

/** Whether a source is known, and a case that the sweep knows not to be there, are asked in vain: Chromium writes each 404
 * to its console. */
const ASKED_IN_VAIN = /\/api\/v1\/(sources\/[0-9a-f]{64}|cases\/none(\/same-job)?)$/

/** Playwright's test, which fails when the page throws or writes an error to the console. `gallery` is its address;
 * `byKeyboard` takes the pointer away. */
export const test = base.extend<{ quietConsole: undefined; gallery: string; byKeyboard: boolean }>({
  gallery: ['', { option: true }],
  byKeyboard: [false, { option: true }],
  page: async ({ page, byKeyboard }, use) => {
    if (byKeyboard) withoutPointer(page)
    await use(page)
    await page.context().clearPermissions()
  },
  quietConsole: [
    async ({ page }, use) => {
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(String(error)))
      page.on('console', (message) => {
        const expected = message.text().includes('404') && ASKED_IN_VAIN.test(message.location().url)
        if (message.type() === 'error' && !expected)
          errors.push(`${message.text()} ${message.location().url}`)
      })
      await use(undefined)
      expect(errors, 'errors on the console').toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

/** Gives files on the start page, of another server where one is named, and waits for the diagnosis. */
export async function diagnose(page: Page, files: string[], server = ''): Promise<void> {
  await page.goto(`${server}/`)
  await page.getByLabel('Drop logs here').setInputFiles(files)
  await page.waitForURL(/\/cases\/[a-z0-9]+/)
  await diagnosed(page)
}

/** Goes to a new case of these files, which no start page was troubled with, once it is read. */
export async function openCase(page: Page, files: string[]): Promise<void> {
  await page.goto(`/cases/${await caseOf(page.request, files)}`)
  await diagnosed(page)
}

/** The same, and goes to one of its views at once. */
export const openView = async (page: Page, files: string[], view: string): Promise<void> =>
  open(page, `/cases/${await caseOf(page.request, files)}/${view}`)

const diagnosed = (page: Page): Promise<void> =>
  expect(page.getByRole('heading', { name: 'What is wrong, and how sure' })).toBeVisible()

/** What keeps the place of what is on its way; the gallery shows one that stays. */
const WAITING = 'main [class*=skeleton]:not([aria-label="Waiting and failing"] *)'

/** Goes to a page and waits until what it asked for is drawn. */
export async function open(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await drawn(page)
}

/** Waits until nothing on the page is waited for any more, and its letters are in their own face. */
export async function drawn(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  await expect(page.locator(WAITING)).toHaveCount(0)
  await page.evaluate(async () => {
    await document.fonts.ready
  })
}

/** The parts of the gallery. */
export const GALLERY = ['darshan', 'lustre', 'mpich', 'invented', 'comparisons', 'views', 'states']

/** The row of a finding on the case page, open or closed. */
export const findingRow = (page: Page, rule: string): Locator =>
  page
    .getByRole('region', { name: 'What is wrong, and how sure' })
    .getByRole('group')
    .filter({ has: page.getByRole('heading', { level: 3, name: rule }) })

/** Goes there by Tab, as somebody does who has no mouse, with so many presses at most. It is looked up once: to find it by
 * its role again takes longer than the press. */
export async function tabTo(to: Locator, mostPresses: number): Promise<void> {
  const wanted = await to.elementHandle()
  for (let presses = 0; presses < mostPresses; presses++) {
    await to.page().keyboard.press('Tab')
    if (await wanted?.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`Tab does not lead to ${to}`)
}

/** On a long page and a busy machine axe takes its time, and what it began counts. */
const AXE_MS = 60_000

/** Expects that axe has nothing against the page, or a part of it, and that every text of it can be read in both themes,
 * once what was asked of it has been drawn. */
export async function keepsNobodyOut(page: Page, part = 'html'): Promise<void> {
  await axeFinds(page, part, ALL_RULES)
  // Colours that are on their way from one theme to the other are those of neither: nothing moves, as the configuration says.
  await findsNothing(async () => faintIn(await snapshotOf(page, ['light', 'dark'])))
}

/** The same, and axe is asked in the dark theme too what colours decide: the rest does not know of themes. */
export async function keepsNobodyOutInEitherTheme(page: Page, part = 'html'): Promise<void> {
  await keepsNobodyOut(page, part)
  await page.emulateMedia({ colorScheme: 'dark' })
  await axeFinds(page, part, { runOnly: ['link-in-text-block'] })
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Expects that no window of these widths has to be scrolled sideways; leaves the page as wide as it was. */
export async function fitsWindows(page: Page, widths: readonly number[]): Promise<void> {
  const before = page.viewportSize()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 })
    await expect.poll(() => overflow(page), `${page.url()} at ${width} pixels`).toBe(0)
  }
  if (before) await page.setViewportSize(before)
}

/** But for contrast: axe takes four times as long for it as for all others, leaves texts of drawings out, and sees one theme. */
export const ALL_RULES: RunOptions = {
  rules: { 'color-contrast': { enabled: false }, 'target-size': { enabled: true } },
}

const axeFinds = (page: Page, part: string, options: RunOptions): Promise<void> =>
  findsNothing(() => violations(page, part, options))

const findsNothing = (find: () => Promise<readonly unknown[]>): Promise<void> =>
  expect.poll(find, { intervals: [0, 250, 1000], timeout: AXE_MS }).toEqual([])

/** What axe has against a part of the page as it stands, in words that say where.
 * https://github.com/dequelabs/axe-core/blob/develop/doc/API.md#options-parameter */
export async function violations(page: Page, part: string, options: RunOptions): Promise<string[]> {
  // Once for each document: its source is half a megabyte.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(
    async ({ part, options }) => {
      // Halfway from one theme to the other a button has colours of neither.
      const ending = document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
      await Promise.allSettled(ending.map(({ finished }) => finished))
      const { run } = (window as unknown as { axe: typeof axe }).axe
      const found = await run(part, { ...options, resultTypes: ['violations'] })
      return found.violations.flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
      )
    },
    { part, options },
  )
}

/** Pixels by which the page must be scrolled sideways. */
const overflow = (page: Page) =>
  page.evaluate(() =>
    Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
  )
