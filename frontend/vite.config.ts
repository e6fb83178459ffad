import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

/** Relative asset addresses, resolved against the page's <base>: the server may stand under any path prefix. */
export default defineConfig(({ mode }) => ({
  base: './',
  plugins: [react()],
  build: {
    // What scripts/export.mjs makes one file of.
    ...(mode === 'export' && {
      outDir: 'dist-export',
      rolldownOptions: { output: { codeSplitting: false } },
    }),
    assetsInlineLimit: 0,
    // The gallery carries its fixtures; scripts/size.mjs holds what a visit loads.
    chunkSizeWarningLimit: 2000,
    target: 'es2022',
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': process.env.IOTRIAGE_API ?? 'http://127.0.0.1:8200' } },
  test: {
    environment: 'jsdom',
    testTimeout: 30_000,
    setupFiles: ['src/test/setup.ts'],
    css: { modules: { classNameStrategy: 'non-scoped' } },
  },
}))
