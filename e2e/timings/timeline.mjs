// `node e2e/timings/timeline.mjs ADDRESS CASE WIDTH SLOWDOWN` opens the timeline of a diagnosed case and moves it: prints
// milliseconds from navigation until every call or pixel is drawn, bytes sent for it, the times between frames while it is
// moved, and the work that the page's main thread did for each of them, from a trace of the browser.
import { chromium } from '@playwright/test'

const FRAMES = 200
const [, , address, caseId, width = '1280', slowdown = '1'] = process.argv
const executablePath = process.env.CHROMIUM || undefined
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: Number(width), height: 900 } })
if (Number(slowdown) > 1) {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: Number(slowdown) })
}
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

await browser.startTracing(page, {
  categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
})
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
const work = workOfFrames(JSON.parse((await browser.stopTracing()).toString()).traceEvents)
await browser.close()
console.log(
  JSON.stringify({
    first,
    again,
    sent,
    median: quantile(gaps, 0.5),
    slow: quantile(gaps, 0.95),
    work_median: quantile(work, 0.5),
    work_slow: quantile(work, 0.95),
  }),
)

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)]
}

/** Milliseconds of processor time from one animation frame to the next, of all tasks of the thread that runs them. */
function workOfFrames(events) {
  const fired = events.filter(({ name }) => name === 'FireAnimationFrame')
  const thread = fired[0]?.tid
  const tasks = events
    .filter(({ name, tid, ph }) => name === 'RunTask' && tid === thread && ph === 'X')
    .sort((a, b) => a.ts - b.ts)
  const starts = new Set(
    fired.map(({ ts }) => tasks.findLast((task) => task.ts <= ts && ts <= task.ts + task.dur)?.ts),
  )
  const frames = []
  for (const { ts, dur, tdur = dur } of tasks) {
    if (starts.has(ts)) frames.push(0)
    if (frames.length > 0) frames[frames.length - 1] += tdur / 1000
  }
  return frames.slice(0, FRAMES)
}
