import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CaseView, StoredDocument } from '../api/types'
import { independentSmall } from '../fixtures/stored'
import { INFO, open, serve } from '../test/router'

const [first] = independentSmall.sources
if (!first) throw new Error('the fixture has a source')

/** Three logs; `ids` is the job that each names, null where it names none. */
const of = (ids: readonly (string | null)[]): StoredDocument => ({
  ...independentSmall,
  sources: ids.map((_, given) => ({ ...first, given, sha256: `sha${given}`, name: `${given}.darshan` })),
  agreement: [
    {
      quantity: 'job id',
      unit: 'word',
      file: null,
      statements: ids.flatMap((value, source) =>
        value === null ? [] : [{ source, says: 'jobid', value, where: [] }],
      ),
      agrees: new Set(ids.filter(Boolean)).size === 1,
      difference: null,
      reason: null,
    },
  ],
})
const view = (ids: readonly (string | null)[]): CaseView => ({
  id: 'mixed',
  created_at: '2026-11-20T09:14:00Z',
  status: 'ready',
  title: '100',
  site: 'archer2',
  sample: false,
  message: null,
  stale: null,
  sources: ids.map((_, index) => ({
    index,
    name: `${index}.darshan`,
    sha256: `sha${index}`,
    size_bytes: 1,
    status: 'read',
    reader: 'darshan_log',
    message: null,
    next_step: null,
  })),
  document: of(ids),
})
const common = {
  'GET /api/v1/info': INFO,
  'GET /api/v1/samples': [],
  'GET /api/v1/cases': { total: 0, cases: [] },
}

beforeEach(() => {
  window.scrollTo = () => {}
})

describe('logs of several jobs in one case', () => {
  it('become a case a job, and the case that mixed them goes', async () => {
    const made: unknown[] = []
    const asked = serve({
      ...common,
      'GET /api/v1/cases/mixed': view(['100', '200', '100']),
      'POST /api/v1/cases': async (request: Request) => {
        made.push(await request.json())
        return Response.json({ id: `new${made.length}`, status: 'reading' }, { status: 201 })
      },
      'DELETE /api/v1/cases/mixed': () => new Response(null, { status: 204 }),
    })
    const { router } = open('/cases/mixed')
    expect(await screen.findByText(/These logs name 2 jobs/)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Split into 2 cases, one a job' }))
    expect(await screen.findByRole('heading', { level: 2, name: 'Recent cases' })).toBeVisible()
    expect(router.state.location.pathname).toBe('/')
    const given = (...names: number[]) =>
      names.map((name) => ({ sha256: `sha${name}`, name: `${name}.darshan` }))
    expect(made).toEqual([
      { sources: given(0, 2), site: 'archer2' },
      { sources: given(1), site: 'archer2' },
    ])
    const written = asked.filter(({ method }) => method !== 'GET').map(({ method }) => method)
    expect(written).toEqual(['POST', 'POST', 'DELETE'])
  })

  it('keep the case where the server refuses to make the others', async () => {
    const asked = serve({ ...common, 'GET /api/v1/cases/mixed': view(['100', '200']) })
    open('/cases/mixed')
    await userEvent.click(await screen.findByRole('button', { name: /^Split/ }))
    expect(await screen.findByText(/There is nothing at this address/)).toBeVisible()
    expect(asked.some(({ method }) => method === 'DELETE')).toBe(false)
  })

  it('are not split where one of them does not say which job it is of', async () => {
    serve({ ...common, 'GET /api/v1/cases/mixed': view(['100', '200', null]) })
    open('/cases/mixed')
    expect(await screen.findByText(/some of them do not say which job/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /^Split/ })).toBeNull()
  })

  it('are left alone where all are of one job', async () => {
    serve({ ...common, 'GET /api/v1/cases/mixed': view(['100', '100']) })
    open('/cases/mixed')
    await screen.findByRole('heading', { level: 1 })
    expect(screen.queryByText(/These logs name/)).toBeNull()
  })
})
