import { defineConfig } from '@playwright/test'

const port = Number(process.env.E2E_PORT ?? 8211)
const galleryPort = port + 1

/** The real server on an empty data folder that goes when it ends; its log is .stamps/journeys.log. */
const serve = `
  mkdir -p ../.stamps && folder=$(mktemp -d) && trap 'kill $server 2> /dev/null; wait $server; rm -rf "$folder"' EXIT TERM INT
  IOTRIAGE_OPEN_LOOPBACK=1 IOTRIAGE_DATA_DIR="$folder" ../.venv/bin/iotriage serve --port ${port} 2> ../.stamps/journeys.log & server=$!
  wait $server`

const inBash = (script: string) => `bash -c '${script.replaceAll("'", `'\\''`)}'`

/** The gallery is in no product: it is built for the sweep and the pictures, and asks the same server. */
const showGallery = `
  npm run --silent build:gallery -w frontend && cd frontend &&
  IOTRIAGE_API=http://127.0.0.1:${port} exec npx vite preview --mode gallery --host 127.0.0.1 --port ${galleryPort} --strictPort`

export const galleryServer = {
  command: inBash(showGallery),
  cwd: '..',
  url: `http://127.0.0.1:${galleryPort}/gallery`,
  reuseExistingServer: false,
  timeout: 120_000,
}

export default defineConfig<{ gallery: string }>({
  testDir: '.',
  testMatch: 'journeys/*.spec.ts',
  fullyParallel: true,
  // One more than the processors that a small machine has: a page waits for its server in between.
  workers: 3,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  // A machine that does other work as well may starve a browser once; what fails twice is broken, and a test that
  // passed only the second time is listed as flaky.
  retries: 1,
  reporter: 'list',
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    gallery: `http://127.0.0.1:${galleryPort}/gallery`,
    viewport: { width: 1280, height: 900 },
    // What keeps the place of what is on its way is drawn sixty times a second where it moves: a sixth of what it takes to open
    // a case. Journeys that look at what moves ask for it.
    contextOptions: { reducedMotion: 'reduce' },
    trace: 'on-first-retry',
    // Journeys of one worker have one page, emptied between them: the process of a new one would compile the page's script, set
    // up its faces and fill its caches each time, a seventh of all that the journeys take. What Playwright does not take back,
    // permissions, `stage.ts` does; who needs headers or a network of their own makes a context of their own.
    reuseContext: true,
    launchOptions: {
      // CHROMIUM is set by the Makefile; empty or unset means Playwright's own build.
      ...(process.env.CHROMIUM && { executablePath: process.env.CHROMIUM }),
      // Without a graphics card Chromium draws by an imitation of one, which takes longer than to draw without.
      args: ['--no-sandbox', '--disable-gpu'],
    },
  },
  webServer: {
    command: inBash(serve),
    url: `http://127.0.0.1:${port}/healthz`,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 },
    timeout: 60_000,
  },
})
