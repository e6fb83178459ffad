import { screen, within } from '@testing-library/react'
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

it('says in each view of a case that it is one of the cases', async () => {
  serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/a1': caseView() })
  open('/cases/a1/ranks')
  await screen.findByRole('link', { name: 'Ranks', current: 'page' })
  const main = within(screen.getByRole('navigation', { name: 'Main' }))
  expect(main.getByRole('link', { name: 'Cases', current: true })).toBeVisible()
})
