import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { caseView } from '../test/caseView'
import { EMPTY_SERVER, open, serve } from '../test/router'

const common = {
  ...EMPTY_SERVER,
  'GET /api/v1/rules': [],
}

describe('what navigates late', () => {
  it('has a threshold that was just moved hold in the view that was asked for since', async () => {
    serve({ ...common, 'GET /api/v1/cases/a1': caseView() })
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
      'GET /api/v1/cases/a1': caseView(),
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
