// The page's sentences for programs: each line is a case document, and is answered with what its page says. The tests
// hold what the server's surfaces say of the same quantities against them.
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { JSDOM } from 'jsdom'
import { createServer } from 'vite'

const { window } = new JSDOM('', { url: 'http://localhost/' })
Object.assign(globalThis, { window, document: window.document })
const server = await createServer({
  root: join(import.meta.dirname, '..'),
  appType: 'custom',
  logLevel: 'error',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
})
const { pageWords } = await server.ssrLoadModule('/src/charts/frame/words/pageWords.ts')

for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
  process.stdout.write(`${JSON.stringify(pageWords(JSON.parse(line))).replaceAll('\u202f', ' ')}\n`)
}
await server.close()
