import react from '@vitejs/plugin-react'
import type { BuildOptions, Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

/** Axes are drawn with charts, which come later than the words of a case. What one line of the start tells a case stands here,
 * or the chunk that it shares would bring the whole decision of a case to the start. */
const IN_EVERY_VIEW =
  /src\/(ui(?!\/Prose)|findings|routes\/case|charts\/frame(?!\/(Axis|BytesUpward|Figure|PlainTable|\w+Ticks)))\/|src\/(analysis\/(focus|compared|names)|upload\/justUploaded)\.ts$/

/** A chunk costs a request: what the start needs is one, what the views of a case have in common is another, and what
 * few views share is split so that none loads what it does not use. Small ones are joined by what is left over: the prose of
 * rules would have every case load what the page of a rule draws. */
const CHUNKS = {
  groups: [
    { name: 'start', tags: ['$initial' as const], priority: 2 },
    { name: 'views', test: IN_EVERY_VIEW, minShareCount: 3, priority: 1 },
    { name: 'prose', test: /src\/ui\/Prose/, priority: 1 },
    { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 1400 },
  ],
}

/** Every page begins with these faces: asked for beside the script, they are there when the first line is set. */
const preloadFont: Plugin = {
  name: 'preload-font',
  transformIndexHtml: (_, { bundle = {} }) =>
    Object.keys(bundle)
      .filter((name) => /(inter|jetbrains-mono)-latin-wght-normal/.test(name))
      .map((name) => ({
        tag: 'link',
        attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `./${name}` },
        injectTo: 'head' as const,
      })),
}

/** What else than the product is built, by `--mode`: what scripts/export.mjs makes one file of, and the gallery, whose parts
 * carry their fixtures. */
const BUILDS: Readonly<Record<string, BuildOptions>> = {
  production: { rolldownOptions: { output: { codeSplitting: CHUNKS } } },
  export: {
    outDir: 'dist-export',
    rolldownOptions: { output: { codeSplitting: false } },
    chunkSizeWarningLimit: 2000,
  },
  gallery: {
    outDir: '../.stamps/gallery',
    emptyOutDir: true,
    rolldownOptions: { input: 'gallery.html' },
    chunkSizeWarningLimit: 2000,
  },
}

/** Relative asset addresses, resolved against the page's <base>: the server may stand under any path prefix. */
export default defineConfig(({ mode }) => ({
  base: './',
  plugins: [react(), preloadFont],
  build: {
    ...BUILDS[mode],
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': process.env.IOTRIAGE_API ?? 'http://127.0.0.1:8200' } },
  test: {
    testTimeout: 90_000,
    // Every render leaves thousands of objects: where there is room for as many, they are not gone through as often.
    execArgv: ['--max-semi-space-size=64'],
    expect: { poll: { timeout: 30_000 } },
    css: { modules: { classNameStrategy: 'non-scoped' } },
    // What draws is tested in a document; what computes needs none, and no place of its own.
    projects: [
      {
        extends: true,
        test: { name: 'computed', include: ['src/**/*.test.ts'], environment: 'node', isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'drawn',
          include: ['src/**/*.test.tsx'],
          environment: 'jsdom',
          isolate: false,
          setupFiles: ['src/test/setup.ts'],
        },
      },
    ],
  },
}))
