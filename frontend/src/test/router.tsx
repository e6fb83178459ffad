import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import { newQueries } from '../access/newQueries'
import { ASKING } from '../api/asking'
import { createAppRouter } from '../router'

/** The whole application at an address, over whatever `fetch` is. */
export function open(address: string) {
  const history = createMemoryHistory({ initialEntries: [address] })
  const client = newQueries({ ...ASKING, queries: { ...ASKING.queries, retry: false } })
  const router = createAppRouter(client, history)
  const shown = render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return { ...shown, router, client }
}

type Answer = object | readonly object[] | ((request: Request) => Response | Promise<Response>)

/** Stands at the fetch boundary: path → answer. What is not named is a 404 as the server gives it. */
export function serve(answers: Readonly<Record<string, Answer>>): Request[] {
  const asked: Request[] = []
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init)
    asked.push(request)
    const url = new URL(request.url)
    const answer =
      answers[`${request.method} ${url.pathname}${url.search}`] ??
      answers[`${request.method} ${url.pathname}`]
    if (answer === undefined) {
      return problem(404, 'There is nothing at this address', `${url.pathname} is not in the test.`)
    }
    return typeof answer === 'function' ? answer(request) : Response.json(answer)
  }
  return asked
}

export const problem = (status: number, title: string, detail: string): Response =>
  Response.json({ type: 'about:blank', title, status, detail, errors: [] }, { status })

export const INFO = {
  version: '0.1.0',
  rules: 15,
  sites: [
    { id: 'generic', title: 'Any system', status: 'generic' },
    { id: 'archer2', title: 'ARCHER2 (EPCC)', status: 'current' },
  ],
  default_site: null,
  upload_limit_bytes: 1000,
}

/** What most pages ask for: a server that has no case yet. */
export const EMPTY_SERVER = {
  'GET /api/v1/info': INFO,
  'GET /api/v1/samples': [],
  'GET /api/v1/cases': { total: 0, cases: [] },
}
