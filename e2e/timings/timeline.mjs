// `node e2e/timings/timeline.mjs ADDRESS CASE` opens the timeline of a diagnosed case and moves it: prints milliseconds from
// navigation until every call or pixel is drawn, bytes sent for it, and the times between frames while it is moved.
import { chromium } from '@playwright/test'

const FRAMES = 200
const [, , address, caseId] = process.argv
const executablePath = process.env.CHROMIUM || undefined
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
let bytes = 0
page.on('response', (response) => {
  if (response.url().includes('/api/')) bytes += Number(response.headers()['content-length'] ?? 0)
})

async function open() {
  const start = performance.now()
  await page.goto(`${address}/cases/${caseId}/timeline`)
  await page
    .getByText(/Every call is drawn|summed up to pixels/)
    .first()
    .waitFor()
  return performance.now() - start
}

const first = await open()
const sent = bytes
const again = await open()
const plane = page.getByRole('application').first()
await plane.focus()
for (let i = 0; i < 3; i++) await page.keyboard.press('+')
await page
  .getByText(/Every call is drawn|summed up to pixels/)
  .first()
  .waitFor()

// The page moves itself, event by event, so that the driver's own speed does not count.
const gaps = await plane.evaluate((surface, frames) => {
  const { left, top, width } = surface.getBoundingClientRect()
  const event = (name, x) =>
    surface.dispatchEvent(
      new PointerEvent(name, {
        bubbles: true,
        shiftKey: true,
        clientX: x,
        clientY: top + 40,
        pointerType: 'mouse',
      }),
    )
  // A pointer that no hand holds cannot be captured.
  surface.setPointerCapture = () => {}
  event('pointerdown', left + width / 2)
  return new Promise((done) => {
    const times = []
    const frame = (time) => {
      times.push(time)
      event('pointermove', left + width / 2 + (width / 3) * Math.sin(times.length / 15))
      if (times.length <= frames) return requestAnimationFrame(frame)
      event('pointerup', left + width / 2)
      done(times.slice(1).map((later, i) => later - times[i]))
    }
    requestAnimationFrame(frame)
  })
}, FRAMES)
gaps.sort((a, b) => a - b)
await browser.close()
console.log(
  JSON.stringify({ first, again, sent, median: gaps[FRAMES >> 1], slow: gaps[Math.floor(FRAMES * 0.95)] }),
)
