import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { independentSmall } from '../fixtures/stored'
import { INFO, open, serve } from '../test/router'

const common = {
  'GET /api/v1/info': INFO,
  'GET /api/v1/samples': [],
  'GET /api/v1/rules': [],
  'GET /api/v1/cases': { total: 0, cases: [] },
}
const view = {
  id: 'a1',
  created_at: '2026-11-20T09:14:00Z',
  status: 'ready',
  title: '4127088',
  site: null,
  sample: false,
  message: null,
  stale: null,
  joined: [],
  sources: [],
  document: independentSmall,
}

beforeEach(() => {
  window.scrollTo = () => {}
})

describe('what navigates late', () => {
  it('has a threshold that was just moved hold in the view that was asked for since', async () => {
    serve({ ...common, 'GET /api/v1/cases/a1': view })
    const { router } = open('/cases/a1')
    const [field] = await screen.findAllByRole('textbox', { name: 'Accesses that are not aligned' })
    if (!field) throw new Error('no field')
    fireEvent.change(field, { target: { value: '100' } })
    await act(() => router.navigate({ to: '/cases/$caseId/ranks', params: { caseId: 'a1' } }))
    await waitFor(() => expect(router.state.location.searchStr).toContain('misaligned-fraction'))
    expect(router.state.location.pathname).toBe('/cases/a1/ranks')
  })

  it('leaves a person where they went while a case was removed', async () => {
    let answer = () => {}
    const removed = new Promise<void>((done) => {
      answer = done
    })
    const asked = serve({
      ...common,
      'GET /api/v1/cases/a1': view,
      'DELETE /api/v1/cases/a1': async () => {
        await removed
        return new Response(null, { status: 204 })
      },
    })
    const { router } = open('/cases/a1')
    fireEvent.click(await screen.findByText('Remove this case'))
    fireEvent.click(await screen.findByText('Remove it'))
    await waitFor(() => expect(asked.some(({ method }) => method === 'DELETE')).toBe(true))
    await act(() => router.navigate({ to: '/rules' }))
    await act(async () => answer())
    await waitFor(() => expect(router.state.status).toBe('idle'))
    expect(router.state.location.pathname).toBe('/rules')
  })
})
