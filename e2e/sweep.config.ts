import { defineConfig } from '@playwright/test'
import journeys from './playwright.config'

const [server] = [journeys.webServer ?? []].flat()

/** `make sweep`: every page in every window, over all samples. What it found of each is in .stamps/sweep. */
export default defineConfig({
  ...journeys,
  testMatch: 'sweep/*.spec.ts',
  retries: 0,
  ...(server && { webServer: server }),
})
