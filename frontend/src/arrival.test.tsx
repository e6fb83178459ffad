import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { arriveAt } from './arrival'

const gone = vi.fn()
let grow = () => {}

beforeEach(() => {
  gone.mockClear()
  vi.stubGlobal(
    'ResizeObserver',
    class {
      private watches = false
      constructor(private readonly grown: () => void) {}
      observe() {
        this.watches = true
        grow = () => this.watches && this.grown()
        grow()
      }
      disconnect() {
        this.watches = false
      }
    },
  )
  Element.prototype.scrollIntoView = function (this: Element) {
    gone(this.id)
  }
  vi.spyOn(globalThis, 'scrollTo').mockImplementation(() => {})
})
afterEach(() => vi.unstubAllGlobals())

/** Two pages, of which one has two parts. */
function pages() {
  const root = createRootRoute()
  const whole = createRoute({
    getParentRoute: () => root,
    path: '/whole',
    component: () => (
      <>
        <h1>Whole</h1>
        <p id="one" />
        <p id="two" />
      </>
    ),
  })
  const other = createRoute({ getParentRoute: () => root, path: '/other', component: () => <h1>Other</h1> })
  const router = createRouter({
    routeTree: root.addChildren([whole, other]),
    history: createMemoryHistory({ initialEntries: ['/other'] }),
    scrollRestoration: true,
  })
  arriveAt(router)
  render(<RouterProvider router={router as never} />)
  return router
}

it('goes to the part that an address names where somebody goes there, and not where they go back', async () => {
  const router = pages()
  await screen.findByRole('heading', { name: 'Other' })
  await act(async () => router.history.push('/whole#two'))
  await vi.waitFor(() => expect(gone).toHaveBeenCalledWith('two'))
  // Whoever scrolls on is where the router takes them back to.
  document.dispatchEvent(new Event('scroll'))
  await act(async () => router.history.push('/other'))
  await screen.findByRole('heading', { name: 'Other' })
  gone.mockClear()
  await act(async () => router.history.back())
  await screen.findByRole('heading', { name: 'Whole' })
  await act(async () => {})
  expect(gone).not.toHaveBeenCalled()
  await act(async () => router.history.push('/other'))
  await act(async () => router.history.push('/whole#one'))
  await vi.waitFor(() => expect(gone).toHaveBeenCalledWith('one'))
})

it.each([
  ['the one jump of a program', [400], true],
  ['a scrollbar that is drawn', [40, 80], false],
  ['words found by the browser, and the next', [900, 300], false],
])('follows a page that grows after %s: %s, %s', async (_, tops, follows) => {
  const router = pages()
  await screen.findByRole('heading', { name: 'Other' })
  await act(async () => router.history.push('/whole#two'))
  await vi.waitFor(() => expect(gone).toHaveBeenCalledWith('two'))
  gone.mockClear()
  for (const top of tops) {
    vi.stubGlobal('scrollY', top)
    dispatchEvent(new Event('scroll'))
  }
  grow()
  expect(gone).toHaveBeenCalledTimes(follows ? 1 : 0)
})
