import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './ui/tokens.css'
import './ui/base.css'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type AnyRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { newQueries } from './access/newQueries'
import { ASKING } from './api/asking'
import { arriveAt } from './arrival'

/** Draws a router's pages into the document. */
export function mount(routerOf: (client: QueryClient) => AnyRouter) {
  const client = newQueries(ASKING)
  const root = document.getElementById('root')
  if (!root) return
  const draw = () => {
    const router = routerOf(client)
    arriveAt(router)
    createRoot(root).render(
      <StrictMode>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StrictMode>,
    )
  }
  void fontsRead().finally(draw)
}

/** How long a first visit waits for letters that are still on their way. */
const PATIENCE_MS = 300

/** Letters are read before anything is drawn, so that no line breaks anew: a page of one file has them inside, and others ask for
 * them beside the script. */
function fontsRead(): Promise<unknown> {
  const read = Promise.all(
    ['Inter Variable', 'JetBrains Mono Variable'].map((name) => document.fonts.load(`1em "${name}"`)),
  )
  if (import.meta.env.MODE === 'export') return read
  return Promise.race([read, new Promise((waited) => setTimeout(waited, PATIENCE_MS))])
}
