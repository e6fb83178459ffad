import type { ElementHandle, Locator, Page } from '@playwright/test'

/** What is done to an element, as a person without a pointer does it: the element is gone to by Tab, or by the arrows
 * within a group that has one place in the order of Tab, and pressed there. What cannot be is an error that names it.
 * A pointer that hovers or draws has no other here: its journeys say what the keyboard does instead. */
export function withoutPointer(page: Page): void {
  const prototype = Object.getPrototypeOf(page.locator('html')) as ByHand
  if (prototype.byHand) return
  const byHand = { fill: prototype.fill, inputs: prototype.setInputFiles }
  Object.assign(prototype, {
    byHand,
    async focus(this: Locator) {
      await goTo(this)
    },
    async click(this: Locator) {
      await press(await goTo(this))
    },
    async check(this: Locator) {
      await choose(await goTo(this), true)
    },
    async uncheck(this: Locator) {
      await choose(await goTo(this), false)
    },
    async fill(this: Locator, text: string) {
      const field = await goTo(this)
      // A date is typed in the order of the reader's own country.
      if (await field.element.evaluate((at) => at instanceof HTMLInputElement && at.type === 'date'))
        return byHand.fill.call(this, text)
      await this.page().keyboard.press('ControlOrMeta+A')
      await this.page().keyboard.press('Delete')
      await this.page().keyboard.insertText(text)
    },
    async selectOption(this: Locator, value: string | { label: string }) {
      await select(await goTo(this), typeof value === 'string' ? value : value.label)
    },
    async setInputFiles(this: Locator, ...given: Parameters<Locator['setInputFiles']>) {
      // From here on the choice is the operating system's.
      await goTo(this)
      await byHand.inputs.apply(this, given)
    },
  })
}

interface ByHand extends Locator {
  byHand?: object
}

interface Control {
  readonly page: Page
  readonly element: ElementHandle<HTMLElement | SVGElement>
}

/** More than any page has places. */
const MOST_PRESSES = 1500
/** The first press may come from anywhere, and a group is gone into by Tab and through by the arrows; who turns back more
 * often goes to and fro beside what is no place of Tab. */
const MOST_TURNS = 4

/** Goes to what has the focus for an element: itself, the control of its label, or the link that it stands in. */
async function goTo(target: Locator): Promise<Control> {
  const page = target.page()
  let element = await controlOf(target)
  let before = ''
  let turns = 0
  for (let presses = 0; presses < MOST_PRESSES; presses += 1) {
    if (!(await element.evaluate((at) => at.isConnected))) element = await controlOf(target)
    const key = await element.evaluate(keyTowards)
    if (key === 'there') {
      const fault = await element.evaluate(unseen)
      if (fault) throw new Error(`${target} has the focus, and nobody sees it: ${fault}`)
      return { page, element }
    }
    if (before !== '' && key !== before) turns += 1
    if (turns > MOST_TURNS)
      throw new Error(`${target} cannot be gone to by Tab: it is beside ${await focused(page)}`)
    await page.keyboard.press(key)
    before = key
  }
  throw new Error(`${target} is not met in ${MOST_PRESSES} presses`)
}

async function controlOf(target: Locator): Promise<Control['element']> {
  await target.waitFor({ state: 'attached' })
  const handle = await target.evaluateHandle(focusable)
  return handle.asElement() as Control['element']
}

/** Runs in the page. */
function focusable(at: HTMLElement | SVGElement): HTMLElement | SVGElement {
  const named = at.closest('label')?.control
  const around = at.closest<HTMLElement | SVGElement>(
    'a[href],button,summary,input,select,textarea,[tabindex]',
  )
  return at.matches('input,select,textarea') ? at : (named ?? around ?? at)
}

/** Runs in the page: what to press to come nearer. */
function keyTowards(to: HTMLElement | SVGElement): string {
  const at = document.activeElement
  if (at === to) return 'there'
  if (at === null || at === document.body) return 'Tab'
  const together =
    at instanceof HTMLInputElement &&
    to instanceof HTMLInputElement &&
    at.type === 'radio' &&
    at.name === to.name
  const after = (at.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  if (together) return after ? 'ArrowDown' : 'ArrowUp'
  const roving = to.closest('[role=toolbar],[role=grid],[role=treegrid],table')
  const inOrder = to.tabIndex >= 0
  if (!inOrder && roving?.contains(at)) return after ? 'ArrowDown' : 'ArrowUp'
  return after ? 'Tab' : 'Shift+Tab'
}

/** Runs in the page: why nobody sees that an element has the focus. https://www.w3.org/TR/WCAG22/#focus-visible and
 * #focus-not-obscured-minimum; what shows it may be its label, or what it stands in. */
function unseen(at: HTMLElement | SVGElement): string {
  const label = at instanceof HTMLInputElement ? at.labels?.[0] : null
  const near = [at, label, at.parentElement, at.parentElement?.parentElement, at.nextElementSibling].filter(
    (one): one is HTMLElement => one instanceof Element,
  )
  const marked = near.some((one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one)
    return (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
  })
  if (!marked) return 'no outline'
  const box = (label ?? at).getBoundingClientRect()
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)]
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)]
  if (right - left < 1 || bottom - top < 1) return 'out of the window'
  const shown = [0.1, 0.5, 0.9].some((share) => {
    const found = document.elementFromPoint(left + (right - left) * share, top + (bottom - top) * share)
    return found !== null && near.some((one) => one.contains(found) || found.contains(one))
  })
  return shown ? '' : 'covered'
}

async function press({ page, element }: Control): Promise<void> {
  const chosen = await element.evaluate(
    (at) => at instanceof HTMLInputElement && /checkbox|radio/.test(at.type),
  )
  await page.keyboard.press(chosen ? 'Space' : 'Enter')
}

async function choose({ page, element }: Control, on: boolean): Promise<void> {
  if ((await element.evaluate((at) => at instanceof HTMLInputElement && at.checked)) !== on)
    await page.keyboard.press('Space')
}

/** An option by its value or its words. */
async function select({ page, element }: Control, wanted: string): Promise<void> {
  const steps = await element.evaluate((at, wanted) => {
    const options = at instanceof HTMLSelectElement ? [...at.options] : []
    const open = options.filter(({ disabled }) => !disabled)
    return open.findIndex(({ value, label }) => value === wanted || label === wanted)
  }, wanted)
  if (steps < 0) throw new Error(`no option ${wanted}`)
  await page.keyboard.press('Home')
  for (let step = 0; step < steps; step += 1) await page.keyboard.press('ArrowDown')
  // A list whose choice changes the whole page says that it waits for Enter.
  if (await element.evaluate((at) => at.hasAttribute('aria-describedby'))) await page.keyboard.press('Enter')
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120) ?? 'nothing')
