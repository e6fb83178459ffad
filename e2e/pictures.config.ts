import { defineConfig } from '@playwright/test'
import journeys, { galleryServer } from './playwright.config'

/** `make screenshots`: the same server, drawn into docs/pictures/ instead of tested. */
export default defineConfig(journeys, {
  testMatch: 'pictures/*.spec.ts',
  workers: 1,
  webServer: galleryServer,
})
