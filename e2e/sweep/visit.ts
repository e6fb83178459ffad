import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { ALL_RULES, drawn, expect, violations } from '../journeys/stage'
import { type Fault, faultsOf, faultsOnPaper } from './judge'
import { snapshotOf, type Theme } from './snapshot'

const TOLD = join(import.meta.dirname, '../../.stamps/sweep')
/** A laptop's window at 400 %, a phone, a tablet held upright, windows on a laptop and on a large screen.
 * https://www.w3.org/TR/WCAG22/#reflow */
export const WIDTHS = [320, 390, 768, 1440, 2560] as const
const THEMES: readonly Theme[] = ['light', 'dark']
/** A4 less its margins, at 96 pixels an inch. */
const PAPER = 718
/** Of the windows that are looked through, how much of a page may move after it was first drawn.
 * https://web.dev/articles/cls calls 0.1 good. */
const MOST_SHIFT = 0.02

interface Seen extends Fault {
  readonly at: string
}

/** Where faults of several visits are put together: each once, with where it was first seen. */
export class Findings {
  readonly #seen = new Map<string, Seen>()

  add(at: string, faults: readonly Fault[]): void {
    for (const fault of faults) {
      const key = `${fault.kind} ${fault.where} ${fault.what}`
      if (!this.#seen.has(key)) this.#seen.set(key, { ...fault, at })
    }
  }

  get all(): readonly string[] {
    return [...this.#seen.values()].map(({ kind, where, what, at }) => `${kind}: ${what} [${where}] ${at}`)
  }
}

/** Writes them down, and fails where there is one. */
export function expectNone(name: string, found: Findings): void {
  mkdirSync(TOLD, { recursive: true })
  writeFileSync(join(TOLD, `${name.replaceAll('/', ' ')}.txt`), found.all.join('\n'))
  expect(found.all, name).toEqual([])
}

export interface Windows {
  readonly widths: readonly number[]
  readonly themes: readonly Theme[]
  /** The page on paper as well. */
  readonly paper: boolean
}

export const EVERY_WINDOW: Windows = { widths: WIDTHS, themes: THEMES, paper: true }

/** Has the page say what moved without anybody having asked for it. Once for each page, before it goes anywhere. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: PerformanceEntry[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({
      type: 'layout-shift',
      buffered: true,
    })
  })
}

/** Opens an address in its first window, then looks at it in all. */
export async function visit(
  page: Page,
  name: string,
  address: string,
  windows: Windows,
  found: Findings,
): Promise<void> {
  await look(page, windows.widths[0] ?? 1440, windows.themes[0])
  await page.goto(address)
  await drawn(page)
  await settled(page)
  found.add(`${name} ${windows.widths[0]}`, await shiftFaults(page))
  await lookThrough(page, name, windows, found)
}

/** Looks at a page as it stands in every window and on paper. */
export async function lookThrough(
  page: Page,
  name: string,
  windows: Windows,
  found: Findings,
): Promise<void> {
  for (const width of windows.widths) {
    await look(page, width, windows.themes[0])
    await settled(page)
    found.add(`${name} ${width}`, await faultsIn(page, windows.themes))
  }
  found.add(`${name} ${windows.widths.at(-1)}`, await barriers(page))
  if (!windows.paper) return
  await look(page, PAPER, 'light', 'print')
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
  await settled(page)
  found.add(`${name} on paper`, faultsOnPaper(await snapshotOf(page, ['light'])))
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  await page.emulateMedia({ media: 'screen' })
}

/** What is wrong with a page as it stands. A part that is fetched by itself may keep its place just when it is looked at:
 * only what stays empty is a fault. */
async function faultsIn(page: Page, themes: readonly Theme[]): Promise<readonly Fault[]> {
  const faults = faultsOf(await snapshotOf(page, themes))
  if (!faults.some(({ kind }) => kind === 'empty')) return faults
  await settled(page)
  return faultsOf(await snapshotOf(page, themes))
}

async function look(
  page: Page,
  width: number,
  theme: Theme = 'light',
  media: 'screen' | 'print' = 'screen',
): Promise<void> {
  await page.setViewportSize({ width, height: width < 760 ? 844 : 1000 })
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce', media })
}

/** Waits until the page is as high as it was a few frames ago, and nothing keeps a place any more. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done))
    let [height, same] = [0, 0]
    // Ten seconds: what is late on a busy machine is not what never comes.
    for (let frames = 0; frames < 600 && same < 4; frames += 1) {
      await frame()
      const waits = document.querySelector('main [class*=skeleton]') !== null
      same = document.documentElement.scrollHeight === height && !waits ? same + 1 : 0
      height = document.documentElement.scrollHeight
    }
  })
}

/** What keeps somebody out, but for contrast, which is measured in both themes at once. */
async function barriers(page: Page): Promise<readonly Fault[]> {
  const found = await violations(page, 'html', ALL_RULES)
  return found.map((what) => ({ kind: 'barrier', where: 'axe', what }))
}

async function shiftFaults(page: Page): Promise<readonly Fault[]> {
  const shifts = await page.evaluate(() =>
    (window as unknown as { shifts: (PerformanceEntry & Shift)[] }).shifts.map(
      ({ value, hadRecentInput, sources }) => ({
        value: hadRecentInput ? 0 : value,
        of: sources.map(({ node }) => (node instanceof Element ? `${node.tagName}.${node.className}` : '')),
      }),
    ),
  )
  const sum = shifts.reduce((all, { value }) => all + value, 0)
  const what = [...new Set(shifts.flatMap(({ of }) => of))].join(', ')
  return sum <= MOST_SHIFT ? [] : [{ kind: 'layout shift', where: what, what: sum.toFixed(3) }]
}

interface Shift {
  readonly value: number
  readonly hadRecentInput: boolean
  readonly sources: readonly { readonly node: Node | null }[]
}

/** The export of a case, as the file that a person gets. */
export async function exported(page: Page, caseId: string, path: string): Promise<string> {
  const answer = await page.request.get(`/api/v1/cases/${caseId}/export/html`)
  writeFileSync(path, await answer.body())
  return `file://${path}`
}
