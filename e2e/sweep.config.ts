import { defineConfig } from '@playwright/test'
import journeys, { galleryServer } from './playwright.config'

/** `make sweep`: every page in every window, over all samples. What it found of each is in .stamps/sweep. */
export default defineConfig(journeys, { testMatch: 'sweep/*.spec.ts', retries: 0, webServer: galleryServer })
