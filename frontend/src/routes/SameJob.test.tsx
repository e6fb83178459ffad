import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { CaseView } from '../api/types'
import { independentSmall } from '../fixtures/stored'
import { caseView } from '../test/caseView'
import { EMPTY_SERVER, open, serve } from '../test/router'

const view = (more: Partial<CaseView> = {}) => caseView({ id: 'whole', ...more })
const PART = {
  id: 'part',
  sources: ['slurm-4127088.err'],
  joined_at: '2026-11-20T09:15:00Z',
  because: 'both are of job 4127088 and tell of /scratch/cells.dat',
}
const common = {
  ...EMPTY_SERVER,
  'GET /api/v1/cases/whole/same-job': [],
}

describe('cases of one job', () => {
  it('say what was joined and why, and take it apart', async () => {
    const asked = serve({
      ...common,
      'GET /api/v1/cases/whole': view({ joined: [PART] }),
      'GET /api/v1/cases/part': view({ id: 'part' }),
      'GET /api/v1/cases/part/same-job': [],
      'POST /api/v1/cases/part/apart': { id: 'part', status: 'reading' },
    })
    const { router } = open('/cases/whole')
    expect(await screen.findByText(/Joined with slurm-4127088.err/)).toBeVisible()
    expect(screen.getByText(/because both are of job 4127088 and tell of/)).toBeVisible()
    await userEvent.click(screen.getByText('Take apart', { selector: 'button' }))
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1)
    await expect.poll(() => router.state.location.pathname).toBe('/cases/part')
  })

  it('are led to from the addresses of their parts', async () => {
    serve({
      ...common,
      'GET /api/v1/cases/part': view({ joined: [PART] }),
      'GET /api/v1/cases/whole': view(),
    })
    const { router } = open('/cases/part')
    await expect.poll(() => router.state.location.pathname).toBe('/cases/whole')
  })

  it('are one line where they are several, below the headline', async () => {
    const other = (id: string) => ({
      id,
      title: 'app',
      sources: [`${id}.darshan`],
      because: 'each has a log',
    })
    serve({
      ...common,
      'GET /api/v1/cases/whole': view(),
      'GET /api/v1/cases/whole/same-job': [other('step-1'), other('step-2'), other('step-3')],
    })
    open('/cases/whole')
    const line = await screen.findByText(/Three other cases may be of this job too/)
    // Called alike, they are told apart by their files.
    expect(screen.getByText('(step-2.darshan)')).not.toBeVisible()
    await userEvent.click(line)
    expect(screen.getByText('(step-2.darshan)')).toBeVisible()
    expect(screen.getAllByText('Make them one case', { selector: 'button' })).toHaveLength(3)
  })

  it('are waited for, so that the views below them do not move', async () => {
    const waiting: ((answer: Response) => void)[] = []
    serve({
      ...common,
      'GET /api/v1/cases/whole': view(),
      'GET /api/v1/cases/whole/same-job': () => new Promise<Response>((done) => waiting.push(done)),
    })
    open('/cases/whole')
    await expect.poll(() => waiting.length).toBe(1)
    expect(screen.queryByText(independentSmall.headline.sentence)).toBeNull()
    waiting[0]?.(
      Response.json([{ id: 'other', title: 'step 2', sources: ['2.darshan'], because: 'each has a log' }]),
    )
    expect(await screen.findByText('step 2', { selector: 'a' })).toBeVisible()
    expect(screen.getByText(independentSmall.headline.sentence, { selector: 'h1' })).toBeVisible()
  })

  it('name those that stay apart, and why', async () => {
    serve({
      ...common,
      'GET /api/v1/cases/whole': view(),
      'GET /api/v1/cases/whole/same-job': [
        { id: 'other', title: 'step 2', sources: ['2.darshan'], because: 'each has a log' },
      ],
    })
    open('/cases/whole')
    expect(await screen.findByText('step 2', { selector: 'a' })).toHaveAttribute('href', '/cases/other')
    expect(screen.getByText('Make them one case', { selector: 'button' })).toBeVisible()
  })
})
