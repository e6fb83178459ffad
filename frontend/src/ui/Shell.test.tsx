import { screen, waitFor, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { caseView } from '../test/caseView'
import { EMPTY_SERVER, INFO, open, serve } from '../test/router'

it('scrolls the names of the pages to the open one where there is no room for all', async () => {
  const name = (part: 'offsetLeft' | 'offsetWidth', pixels: number) =>
    vi.spyOn(HTMLElement.prototype, part, 'get').mockImplementation(function (this: HTMLElement) {
      return this.textContent === 'Rules' ? pixels : 0
    })
  name('offsetLeft', 220)
  name('offsetWidth', 40)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(180)
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/rules': [],
    'GET /api/v1/sites': [],
  })
  open('/rules')
  await screen.findByRole('heading', { level: 1 })
  expect(screen.getByRole('navigation', { name: 'Main' }).scrollLeft).toBe(220 + 40 - 180 + 16)
  vi.restoreAllMocks()
})

it.each([
  ['/cases/a1', 'Cases'],
  ['/cases/a1/ranks', 'Cases'],
  ['/tickets/7', 'Queue'],
  ['/sites/archer2', 'Rules'],
  ['/rules/small-io', 'Rules'],
])('says on %s under which name of the bar it is found', async (address, name) => {
  serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView() })
  open(address)
  const main = within(await screen.findByRole('navigation', { name: 'Main' }))
  await waitFor(() =>
    expect(main.getAllByRole('link').filter((link) => link.hasAttribute('aria-current'))).toEqual([
      main.getByRole('link', { name }),
    ]),
  )
})
