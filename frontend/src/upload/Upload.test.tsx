import { QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newQueries } from '../access/newQueries'
import { ApiError } from '../api/client'
import type { Progress, Sent } from '../api/upload'
import { me } from '../test/me'
import { INFO, open, serve } from '../test/router'
import { Upload, UploadProgress } from './Upload'

/** A server at the boundary of XMLHttpRequest, which alone tells how far an upload is. */
class FakeRequest {
  static answer: (url: string) => { status: number; body: unknown } | null = () => ({ status: 201, body: {} })
  static arrives: (file: File) => Promise<void> = async () => {}
  static readonly sent: string[] = []
  upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null } = { onprogress: null }
  onload: (() => void) | null = null
  onerror: (() => void) | null = null
  status = 0
  responseText = ''
  #url = ''
  open(_: string, url: URL | string) {
    this.#url = String(url)
  }
  setRequestHeader() {}
  send(file: File) {
    FakeRequest.arrives(file).then(() => {
      this.upload.onprogress?.({ loaded: file.size / 2, total: file.size })
      const answer = FakeRequest.answer(this.#url)
      if (answer === null) return this.onerror?.()
      FakeRequest.sent.push(this.#url)
      this.status = answer.status
      this.responseText = JSON.stringify(answer.body)
      this.onload?.()
    })
  }
}

const log = (name: string, bytes = 'log') => new File([bytes], name)
const show = (
  finish: (sent: readonly Sent[]) => Promise<void> = async () => {},
  limit: number | null = null,
) => {
  render(
    <QueryClientProvider client={newQueries({})}>
      <Upload limit={limit} finish={finish} />
    </QueryClientProvider>,
  )
  return screen.getByLabelText(/Drop logs here/) as HTMLInputElement
}

/** A promise, and what fulfils it. */
function promised<T>() {
  let fulfil: (value: T) => void = () => {}
  const promise = new Promise<T>((resolve) => {
    fulfil = resolve
  })
  return { promise, fulfil }
}

const drop = (files: readonly File[], items: readonly object[] = []) =>
  fireEvent.drop(screen.getByText(/Drop logs here/), { dataTransfer: { files, items } })

const namesOf = ({ mock }: { mock: { calls: unknown[][] } }, call = 0) =>
  (mock.calls as Sent[][][])[call]?.[0]?.map(({ name }) => name)

beforeEach(() => {
  FakeRequest.sent.length = 0
  FakeRequest.answer = () => ({ status: 201, body: {} })
  FakeRequest.arrives = async () => {}
  vi.stubGlobal('XMLHttpRequest', FakeRequest)
  serve({})
})
afterEach(() => vi.unstubAllGlobals())

it.each<[Progress, string]>([
  [{ step: 'sending', share: 0.5 }, '1 file is on its way. What you add now joins it.'],
  [{ step: 'sent', known: false, sha256: 'b' }, '1 file is there. What you add now joins it.'],
  [
    { step: 'failed', what: 'No.', next: 'Go.', again: true },
    '1 file could not be sent. What you add now joins it.',
  ],
])('says where one file stands while others are looked for: %j', (progress, said) => {
  render(
    <UploadProgress
      items={[{ id: 0, name: 'a', size: 1, progress }]}
      phase="sending"
      refused={false}
      onAgain={() => {}}
      onMake={() => {}}
      onStartOver={() => {}}
    />,
  )
  expect(screen.getByRole('status')).toHaveTextContent(said)
})

describe('uploading', () => {
  it('sends several files of one job and makes one case of them', async () => {
    const finish = vi.fn(async () => {})
    await userEvent.upload(show(finish), [log('a.darshan', 'a'), log('b.err', 'b')])
    await vi.waitFor(() => expect(finish).toHaveBeenCalledTimes(1))
    const [[sent]] = finish.mock.calls as unknown as [[Sent[]]]
    expect(sent.map((s) => s.name)).toEqual(['a.darshan', 'b.err'])
    expect(FakeRequest.sent).toHaveLength(2)
    expect(screen.getAllByText(/· sent$/)).toHaveLength(2)
  })

  it('keeps the order of the files, whichever arrives first', async () => {
    const finish = vi.fn(async () => {})
    let arrive = () => {}
    const late = new Promise<void>((resolve) => {
      arrive = resolve
    })
    FakeRequest.arrives = (file) => (file.name === 'a.darshan' ? late : Promise.resolve())
    await userEvent.upload(show(finish), [log('a.darshan', 'a'), log('b.err', 'b')])
    await screen.findByText(/· sent$/)
    arrive()
    await vi.waitFor(() => expect(finish).toHaveBeenCalledTimes(1))
    const [[sent]] = finish.mock.calls as unknown as [[Sent[]]]
    expect(sent.map((s) => s.name)).toEqual(['a.darshan', 'b.err'])
  })

  it('has files in the order of the numbers in their names', async () => {
    const finish = vi.fn(async () => {})
    const names = ['step10.txt', 'step1.txt', 'step2.txt']
    await userEvent.upload(
      show(finish),
      names.map((name) => log(name, name)),
    )
    await vi.waitFor(() => expect(finish).toHaveBeenCalledTimes(1))
    expect(namesOf(finish)).toEqual(['step1.txt', 'step2.txt', 'step10.txt'])
  })

  it('asks before it sends a large file, and does not send what the server has', async () => {
    const asked: Request[] = []
    globalThis.fetch = async (input) => {
      asked.push(input as Request)
      return new Response(null, { status: 200 })
    }
    await userEvent.upload(show(), log('large.darshan', 'x'.repeat(5 * 1024 * 1024)))
    expect(await screen.findByText(/the server has it already/)).toBeVisible()
    expect(FakeRequest.sent).toHaveLength(0)
    expect(asked[0]?.method).toBe('HEAD')
  })

  it('names what went wrong with each file, keeps the others, and tries again', async () => {
    let refuse = true
    FakeRequest.answer = () => (refuse ? null : { status: 201, body: {} })
    const finish = vi.fn(async () => {})
    await userEvent.upload(show(finish), [log('bad.darshan')])
    expect(await screen.findByText(/The server does not answer/)).toBeVisible()
    expect(finish).not.toHaveBeenCalled()
    refuse = false
    await userEvent.click(screen.getByRole('button', { name: 'Try it again' }))
    await vi.waitFor(() => expect(finish).toHaveBeenCalledTimes(1))
  })

  it('asks who is logged out meanwhile to log in, and keeps what was given', async () => {
    let ended = true
    const refusal = { title: 'This server does not know who you are', detail: 'Log in.' }
    FakeRequest.answer = () => (ended ? { status: 401, body: refusal } : { status: 201, body: {} })
    const finish = vi.fn(async () => {})
    await userEvent.upload(show(finish), [log('a.darshan')])
    expect(await screen.findByText(/Log in in another window, then try again/)).toBeVisible()
    ended = false
    await userEvent.click(screen.getByRole('button', { name: 'Try it again' }))
    await vi.waitFor(() => expect(finish).toHaveBeenCalledTimes(1))
  })

  it.each([
    ['a file', 401, 201],
    ['the case of the files', 201, 401],
  ])('says above the page that a log-in ended where %s is refused', async (_, ofFile, ofCase) => {
    let here = true
    const refusal = { title: 'This server does not know who you are', detail: 'Log in.' }
    FakeRequest.answer = () => ({ status: ofFile, body: refusal })
    serve({
      'GET /api/v1/me': () => Response.json(here ? me() : me({ id: null, name: null, role: null })),
      'GET /api/v1/info': INFO,
      'GET /api/v1/samples': [],
      'GET /api/v1/cases': { total: 0, cases: [] },
      'POST /api/v1/cases': () => Response.json(refusal, { status: ofCase }),
    })
    open('/')
    const files = await screen.findByLabelText(/Drop logs here/)
    here = false
    await userEvent.upload(files, [log('a.darshan')])
    expect(await screen.findByText('You are logged out')).toBeVisible()
    expect(screen.getByText('a.darshan')).toBeVisible()
  })

  it('goes on with those that arrived when the person says so', async () => {
    const finish = vi.fn(async () => {})
    await userEvent.upload(show(finish), [log('good.darshan'), log('empty.darshan', '')])
    expect(await screen.findByText(/The file is empty/)).toBeVisible()
    expect(finish).not.toHaveBeenCalled()
    expect(await screen.findByText('1 of 2 files was not sent.')).toBeVisible()
    // It stands first, whatever it was given after.
    expect(screen.getAllByRole('listitem')[0]).toHaveTextContent('not sent')
    await userEvent.click(screen.getByRole('button', { name: 'Diagnose the 1 file that arrived' }))
    const [[sent]] = finish.mock.calls as unknown as [[Sent[]]]
    expect(sent.map((s) => s.name)).toEqual(['good.darshan'])
  })

  it("shows the server's own words, and what to do next", async () => {
    FakeRequest.answer = () => ({
      status: 400,
      body: {
        type: 'x',
        title: 'The bytes do not match',
        detail: 'Their SHA-256 is another.',
        status: 400,
        errors: [],
      },
    })
    await userEvent.upload(show(), log('a.darshan'))
    expect(
      await screen.findByText(/The bytes do not match. Their SHA-256 is another. Choose the file again/),
    ).toBeVisible()
  })

  it("refuses what is over the server's limit before sending it", async () => {
    await userEvent.upload(show(undefined, 2), log('a.darshan', 'three'))
    expect(await screen.findByText(/at most 2\sB; this one has/)).toBeVisible()
    expect(FakeRequest.sent).toHaveLength(0)
    // It would be refused another time as well.
    expect(screen.queryByRole('button', { name: 'Try it again' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Start over' })).toBeVisible()
  })

  it('names the kinds that are read', () => {
    show()
    for (const kind of [
      '.darshan',
      'MPICH_MPIIO_TIMERS',
      'CrayPAT report',
      'lfs getstripe',
      'IOR',
      'job script',
      'sacct',
    ])
      expect(screen.getByText(kind)).toBeVisible()
  })

  it('takes pasted text as a source', async () => {
    const finish = vi.fn(async () => {})
    show(finish)
    const button = screen.getByRole('button', { name: 'Diagnose' })
    expect(button).toBeDisabled()
    await userEvent.type(screen.getByLabelText('or paste text from stderr'), 'MPIIO write access patterns')
    await userEvent.click(button)
    await vi.waitFor(() => expect(finish).toHaveBeenCalledTimes(1))
    const [[sent]] = finish.mock.calls as unknown as [[Sent[]]]
    expect(sent.map((s) => s.name)).toEqual(['pasted-text.txt'])
  })

  it('makes one case of what is dropped while other files are on their way', async () => {
    const finish = vi.fn(async () => {})
    const late = promised<void>()
    FakeRequest.arrives = (file) => (file.name === 'a.darshan' ? late.promise : Promise.resolve())
    await userEvent.upload(show(finish), [log('a.darshan', 'a')])
    drop([log('b.err', 'b')])
    expect(await screen.findByText(/· sent$/)).toBeVisible()
    expect(finish).not.toHaveBeenCalled()
    late.fulfil()
    await vi.waitFor(() => expect(finish).toHaveBeenCalled())
    await screen.findByText('2 files arrived. The diagnosis begins.')
    expect(finish).toHaveBeenCalledTimes(1)
    expect(namesOf(finish)).toEqual(['a.darshan', 'b.err'])
  })

  it('takes a folder that is chosen, whose files say where in it they lie', async () => {
    const finish = vi.fn(async () => {})
    expect(show(finish)).toHaveAccessibleName('Drop logs here, or choose files')
    const opened = vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementation(() => {})
    await userEvent.click(screen.getByRole('button', { name: 'Choose a folder' }))
    const [asked] = opened.mock.instances as unknown as HTMLInputElement[]
    opened.mockRestore()
    if (!asked) throw new Error('No folder is asked for.')
    expect(asked.webkitdirectory).toBe(true)
    const inFolder = ['step1/a.darshan', 'step2/a.darshan'].map((path) => {
      const file = log('a.darshan', path)
      Object.defineProperty(file, 'webkitRelativePath', { value: path })
      return file
    })
    fireEvent.change(asked, { target: { files: inFolder } })
    await vi.waitFor(() => expect(finish).toHaveBeenCalledTimes(1))
    expect(namesOf(finish)).toEqual(['step1/a.darshan', 'step2/a.darshan'])
  })

  it('waits for a dropped folder to be looked through', async () => {
    const finish = vi.fn(async () => {})
    const late = promised<void>()
    const found = promised<File>()
    FakeRequest.arrives = () => late.promise
    await userEvent.upload(show(finish), [log('a.darshan', 'a')])
    const entry = { isFile: true, file: (done: (file: File) => void) => found.promise.then(done) }
    drop([], [{ webkitGetAsEntry: () => entry }])
    late.fulfil()
    expect(await screen.findByText(/· sent$/)).toBeVisible()
    expect(finish).not.toHaveBeenCalled()
    found.fulfil(log('b.err', 'b'))
    await vi.waitFor(() => expect(finish).toHaveBeenCalledTimes(1))
    expect(namesOf(finish)).toEqual(['a.darshan', 'b.err'])
  })

  it('asks before it goes on without a file that failed, whatever is added after it', async () => {
    const finish = vi.fn(async () => {})
    const input = show(finish)
    await userEvent.upload(input, [log('empty.darshan', '')])
    expect(await screen.findByText(/The file is empty/)).toBeVisible()
    await userEvent.upload(input, [log('good.darshan')])
    expect(await screen.findByText(/· sent$/)).toBeVisible()
    const on = await screen.findByRole('button', { name: 'Diagnose the 1 file that arrived' })
    expect(finish).not.toHaveBeenCalled()
    await userEvent.dblClick(on)
    expect(finish).toHaveBeenCalledTimes(1)
    expect(namesOf(finish)).toEqual(['good.darshan'])
  })

  it('takes nothing while the case is being made, and makes it once', async () => {
    const made = promised<void>()
    const finish = vi.fn(() => made.promise)
    const input = show(finish)
    await userEvent.upload(input, [log('a.darshan', 'a')])
    expect(await screen.findByText('1 file arrived. The diagnosis begins.')).toBeVisible()
    drop([log('late.err', 'b')])
    expect(input).toBeDisabled()
    expect(screen.queryByText('late.err')).toBeNull()
    made.fulfil()
    await made.promise
    expect(finish).toHaveBeenCalledTimes(1)
  })

  it('says why no case was made, and makes one of all that arrived when asked again', async () => {
    const finish = vi
      .fn<(sent: readonly Sent[]) => Promise<void>>()
      .mockRejectedValueOnce(new ApiError('There is no space left', 'The disk is full.', 507))
      .mockResolvedValueOnce()
    const input = show(finish)
    await userEvent.upload(input, [log('a.darshan', 'a')])
    expect(await screen.findByText('There is no space left')).toBeVisible()
    await userEvent.upload(input, [log('b.err', 'b')])
    await vi.waitFor(() => expect(screen.getAllByText(/· sent$/)).toHaveLength(2))
    expect(finish).toHaveBeenCalledTimes(1)
    await userEvent.click(await screen.findByRole('button', { name: 'Try again' }))
    expect(finish).toHaveBeenCalledTimes(2)
    expect(namesOf(finish, 1)).toEqual(['a.darshan', 'b.err'])
    expect(screen.queryByText('There is no space left')).toBeNull()
  })

  it('begins anew when the person says so', async () => {
    const finish = vi.fn(async () => {})
    const input = show(finish)
    await userEvent.upload(input, [log('empty.darshan', '')])
    await userEvent.click(await screen.findByRole('button', { name: 'Start over' }))
    expect(screen.queryByText('empty.darshan')).toBeNull()
    await userEvent.upload(input, [log('a.darshan', 'a')])
    await vi.waitFor(() => expect(finish).toHaveBeenCalledTimes(1))
    expect(namesOf(finish)).toEqual(['a.darshan'])
  })
})
