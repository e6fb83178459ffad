import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { CaseView, StoredDocument } from '../api/types'
import { independentSmall } from '../fixtures/stored'
import { caseView } from '../test/caseView'
import { EMPTY_SERVER, open, problem, serve } from '../test/router'
import { noteUploaded } from '../upload/justUploaded'

const [first] = independentSmall.sources
if (!first) throw new Error('the fixture has a source')

type Jobs = StoredDocument['jobs']

/** Three sources, the last the output of both jobs. */
const of = (jobs: Jobs): StoredDocument => ({
  ...independentSmall,
  sources: [
    ...[0, 1, 2].map((given) => ({ ...first, given, sha256: `sha${given}`, name: `${given}.darshan` })),
    // Of an archive the case's own list has no members.
    {
      ...{ ...first, given: 2, sha256: 'junk', name: 'logs.zip › junk.bin', status: 'failed' as const },
      ...{ failure: 'an ELF executable, not a log that we know', next_step: 'Give a Darshan log.' },
    },
  ],
  jobs,
})
const TWO: Jobs = [
  { id: '100', given: [0, 2], among_others: true },
  { id: null, given: [1], among_others: false },
]
const BOTH_HAVE_ONE: Jobs = [
  { id: '100', given: [0, 2], among_others: true },
  { id: '200', given: [1, 2], among_others: true },
]
const view = (jobs: Jobs): CaseView =>
  caseView({
    id: 'mixed',
    title: '100',
    site: 'archer2',
    sources: [0, 1, 2].map((index) => ({
      index,
      name: `${index}.darshan`,
      sha256: `sha${index}`,
      size_bytes: 1,
      status: 'read',
      reader: 'darshan_log',
      message: null,
      next_step: null,
      gone_at: null,
    })),
    document: of(jobs),
  })

describe('logs of several jobs in one case', () => {
  it.each([
    ['by the button', false],
    ['by themselves where they were just given', true],
  ])('become a case a job, and the case that mixed them goes: %s', async (_, justGiven) => {
    if (justGiven) noteUploaded('mixed')
    const made: unknown[] = []
    const asked = serve({
      ...EMPTY_SERVER,
      'GET /api/v1/cases/mixed': view(TWO),
      'POST /api/v1/cases': async (request: Request) => {
        made.push(await request.json())
        return Response.json({ id: `new${made.length}`, status: 'reading' }, { status: 201 })
      },
      'DELETE /api/v1/cases/mixed': () => new Response(null, { status: 204 }),
    })
    const { router } = open('/cases/mixed')
    if (!justGiven) {
      expect(await screen.findByText(/These sources are of 2 jobs/)).toBeVisible()
      await userEvent.click(screen.getByText('Split into 2 cases, one for each job', { selector: 'button' }))
    }
    expect(await screen.findByText('Recent cases', { selector: 'h2' })).toBeVisible()
    expect(router.state.location.pathname).toBe('/')
    expect(screen.getByText(/^What you gave is of 2 jobs: each is a case of its own/)).toBeVisible()
    const [leftOut] = screen.getAllByRole('listitem').filter((item) => /junk/.test(item.textContent ?? ''))
    expect(leftOut).toHaveTextContent(
      /^logs\.zip › junk\.bin could not be read, and is left out\. An ELF .*know\.What to give insteadGive a Darshan log\.$/,
    )
    expect(screen.getByText('What to give instead').closest('details')).not.toHaveAttribute('open')
    const source = (number: number, of_job: string | null) => ({
      sha256: `sha${number}`,
      name: `${number}.darshan`,
      of_job,
    })
    expect(made).toEqual([
      { sources: [source(0, '100'), source(2, '100')], site: 'archer2', alone: false, from_case: 'mixed' },
      { sources: [source(1, null)], site: 'archer2', alone: false, from_case: 'mixed' },
    ])
    const written = asked.filter(({ method }) => method !== 'GET').map(({ method }) => method)
    expect(written).toEqual(['POST', 'POST', 'DELETE'])
  })

  it('say why each of many was left out, of several with one name too, and which file several have', async () => {
    noteUploaded('mixed')
    const whole = view(BOTH_HAVE_ONE)
    const reasons = ['an ELF executable', 'a picture', 'an empty file', 'a core file']
    const unread = reasons.map((failure, at) => ({
      ...{ ...first, given: 2, sha256: `junk${at}`, name: 'logs.zip › a.out', status: 'failed' as const },
      ...{ failure, next_step: null },
    }))
    const document = { ...of(BOTH_HAVE_ONE), sources: [...of(BOTH_HAVE_ONE).sources.slice(0, 3), ...unread] }
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/cases/mixed': { ...whole, document },
      'POST /api/v1/cases': { id: 'new', status: 'reading' },
      'DELETE /api/v1/cases/mixed': () => new Response(null, { status: 204 }),
    })
    open('/cases/mixed')
    const said = await screen.findByText('4 files could not be read, and are left out', {
      selector: 'summary',
    })
    expect(
      screen.getByText('2.darshan names no job, or several: it is in each case that it may be of.'),
    ).toBeVisible()
    const lines = within(said.closest('details') as HTMLElement).getAllByText(/^logs\.zip/, { selector: 'b' })
    expect(lines.map((line) => line.closest('li')?.textContent)).toEqual([
      'logs.zip › a.out could not be read, and is left out. An ELF executable.',
      'logs.zip › a.out could not be read, and is left out. A picture.',
      'logs.zip › a.out could not be read, and is left out. An empty file.',
      'logs.zip › a.out could not be read, and is left out. A core file.',
    ])
  })

  it('of one archive are each a case of what is its own, and not told to share it', async () => {
    noteUploaded('mixed')
    const inArchive = [0, 1].map((member) => ({
      ...first,
      given: 2,
      member,
      name: `logs.zip › ${member}.darshan`,
    }))
    const jobs: Jobs = ['100', '200'].map((id) => ({ id, given: [2], among_others: true }))
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/cases/mixed': { ...view(jobs), document: { ...of(jobs), sources: inArchive } },
      'POST /api/v1/cases': { id: 'new', status: 'reading' },
      'DELETE /api/v1/cases/mixed': () => new Response(null, { status: 204 }),
    })
    open('/cases/mixed')
    expect(await screen.findByText(/What you gave is of 2 jobs/)).toBeVisible()
    expect(screen.queryByText(/names no job, or several/)).toBeNull()
  })

  it('keep the case where the server refuses to make the others', async () => {
    const asked = serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/mixed': view(TWO) })
    open('/cases/mixed')
    await userEvent.click(await screen.findByText(/^Split/, { selector: 'button' }))
    expect(await screen.findByText(/There is nothing at this address/)).toBeVisible()
    expect(asked.some(({ method }) => method === 'DELETE')).toBe(false)
  })

  it('are not drawn as one case while they are split, and are where that fails', async () => {
    noteUploaded('mixed')
    let refuse: (answer: Response) => void = () => {}
    serve({
      ...EMPTY_SERVER,
      'GET /api/v1/cases/mixed': view(TWO),
      'POST /api/v1/cases': () =>
        new Promise<Response>((answer) => {
          refuse = answer
        }),
    })
    open('/cases/mixed')
    expect(await screen.findByText(/each job becomes a case of its own/)).toBeVisible()
    expect(screen.queryByRole('heading', { level: 1 })).toBeNull()
    refuse(problem(503, 'The queue is full', 'Too many cases wait.'))
    expect(await screen.findByRole('heading', { level: 1 })).toBeVisible()
    expect(screen.getByText(/They were not split: .*The queue is full/)).toBeVisible()
  })

  it('come with what stands below them, which they would else move', async () => {
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/mixed': view(TWO) })
    open('/cases/mixed')
    await screen.findByRole('heading', { level: 1 })
    expect(screen.getByText(/These sources are of 2 jobs/)).toBeVisible()
  })

  it('says where one of them names no job', async () => {
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/mixed': view(TWO) })
    open('/cases/mixed')
    expect(await screen.findByText(/Some of them do not say which job/)).toBeVisible()
  })

  it('are left alone where all are of one job', async () => {
    serve({ ...EMPTY_SERVER, 'GET /api/v1/cases/mixed': view([]) })
    open('/cases/mixed')
    await screen.findByRole('heading', { level: 1 })
    expect(screen.queryByText(/These sources are of/)).toBeNull()
  })
})
