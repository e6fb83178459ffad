import { defineConfig } from '@playwright/test'
import journeys from './playwright.config'

/** `make keyboard`: every journey without a pointer. */
export default defineConfig<{ byKeyboard: boolean }>(journeys, {
  use: { byKeyboard: true },
  // Tab passes everything that stands before.
  timeout: 300_000,
})
