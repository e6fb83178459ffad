// `node e2e/timings/pages.mjs ADDRESS WIDTH SLOWDOWN PATH …` opens each path in a browser that has nothing kept and prints, as
// JSON, milliseconds from navigation until its first heading was painted, and how much of it moved afterwards without
// anybody having asked: https://web.dev/articles/cls.
import { chromium } from '@playwright/test'

const TIMES = 3
const QUIET_MS = 700
const [, , address, width, slowdown, ...paths] = process.argv
const executablePath = process.env.CHROMIUM || undefined
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] })

const found = []
for (const path of paths) {
  const times = []
  let shift = 0
  for (let i = 0; i < TIMES; i++) {
    const seen = await opened(path)
    times.push(seen.first)
    shift = Math.max(shift, seen.shift)
  }
  times.sort((a, b) => a - b)
  found.push({ path, first: times[TIMES >> 1], least: times[0], shift })
}
await browser.close()
console.log(JSON.stringify(found))

async function opened(path) {
  const context = await browser.newContext({
    viewport: { width: Number(width), height: Number(width) < 760 ? 844 : 1000 },
  })
  const page = await context.newPage()
  await page.addInitScript(watch)
  if (Number(slowdown) > 1) {
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: Number(slowdown) })
  }
  await page.goto(`${address}${path}`)
  await page.waitForFunction(
    (quiet) =>
      window.first !== undefined &&
      !document.querySelector('main [class*=skeleton]') &&
      performance.now() - window.changed > quiet,
    QUIET_MS,
  )
  const seen = await page.evaluate(() => ({ first: window.first, shift: window.shift }))
  await context.close()
  return seen
}

/** Runs in the page, before anything of it. */
function watch() {
  window.shift = 0
  window.changed = performance.now()
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value
  }).observe({ type: 'layout-shift', buffered: true })
  let painting = false
  new MutationObserver(() => {
    window.changed = performance.now()
    if (painting || !document.querySelector('main h1')?.textContent?.trim()) return
    painting = true
    // What is done after a frame's callbacks comes after its picture.
    requestAnimationFrame(() => {
      const after = new MessageChannel()
      after.port1.onmessage = () => {
        window.first = performance.now()
      }
      after.port2.postMessage(null)
    })
  }).observe(document, { childList: true, subtree: true, characterData: true })
}
