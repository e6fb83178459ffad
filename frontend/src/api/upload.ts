import { format } from '../format'
import { ApiError, answered, BASE, client, problemOf, unreachable } from './client'
import { sha256, WorkerMissing } from './sha256'

/** Where one file stands on its way to the server. */
export type Progress =
  | { readonly step: 'waiting' }
  | { readonly step: 'hashing'; readonly share: number }
  | { readonly step: 'sending'; readonly share: number }
  /** On the server; `known` where it was there before and was not sent again. */
  | ({ readonly step: 'sent' } & Arrived)
  /** `again` where the same file may arrive another time. */
  | { readonly step: 'failed'; readonly what: string; readonly next: string; readonly again: boolean }

interface Arrived {
  readonly sha256: string
  readonly known: boolean
}

export interface Sent {
  readonly sha256: string
  readonly name: string
  /** The job whose parts of it are wanted, where the source is of several. */
  readonly of_job?: string | null
}

/** A smaller file is sent in less time than it takes to ask for it. */
const ASK_FIRST = 4 * 1024 * 1024

/** Hashes, asks for a large file whether the server has it, sends it if not. Throws an ApiError. */
export async function sendSource(
  file: File,
  limit: number | null,
  report: (progress: Progress) => void,
): Promise<Arrived> {
  if (file.size === 0) throw new ApiError('The file is empty', 'It has no bytes to read.', 400)
  if (limit !== null && file.size > limit) {
    throw new ApiError(
      'The file is too large',
      `This server takes files of at most ${format(limit, 'B')}; this one has ${format(file.size, 'B')}.`,
      413,
    )
  }
  report({ step: 'hashing', share: 0 })
  const hash = await digest(file, (share) => report({ step: 'hashing', share }))
  let known = file.size > ASK_FIRST && (await isKnown(hash))
  if (!known) {
    report({ step: 'sending', share: 0 })
    known = await put(file, hash, (share) => report({ step: 'sending', share }))
  }
  return { sha256: hash, known }
}

async function digest(file: File, onShare: (share: number) => void): Promise<string> {
  try {
    return await sha256(file, onShare)
  } catch (error) {
    if (error instanceof WorkerMissing) throw unreachable()
    throw new ApiError('The file could not be read', 'The browser was not allowed to read it.', 400)
  }
}

async function isKnown(hash: string): Promise<boolean> {
  try {
    const { response } = await client.HEAD('/api/v1/sources/{sha256}', { params: { path: { sha256: hash } } })
    return response.ok
  } catch {
    throw unreachable()
  }
}

/** The only request that fetch cannot make: one that tells how far it is. True where the server had the file. */
function put(file: File, hash: string, onShare: (share: number) => void): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const url = new URL(`api/v1/sources/${hash}`, BASE)
    request.open('PUT', url)
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.upload.onprogress = (event) => onShare(event.total > 0 ? event.loaded / event.total : 0)
    request.onerror = () => reject(unreachable())
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(request.status === 200)
      else reject(problemOf(parsed(request.responseText), request.status))
    }
    request.send(file)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Whether the file itself is why it did not arrive: empty, changed while it was sent, or too large. */
export const isOfTheFile = ({ status }: ApiError): boolean => status === 400 || status === 413

/** What to do about a file that did not arrive. */
export function nextStep(error: ApiError): string {
  if (error.status === 0) return 'What has been sent is not sent again.'
  if (error.status === 401) return 'Log in in another window, then try again: what you gave stays here.'
  if (error.status === 429) return 'Try again then; what has been sent is not sent again.'
  if (error.status === 413) return 'Give a smaller log, or run iotriage diagnose where the log is.'
  if (error.status === 400) return 'Choose the file again; it may still be written to, or have been moved.'
  return 'Try again; if that does not help, tell whoever runs this server.'
}

const WAIT_MS = 2000

/** The same for one of many: while as many cases wait as one may have waiting, it waits for its turn. */
export async function createCaseInTurn(
  sources: readonly Sent[],
  site: string | null,
  fromCase: string,
): Promise<string> {
  for (;;) {
    try {
      return await createCase(sources, site, fromCase)
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 429)) throw error
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
    }
  }
}

/** `fromCase` is the case in which the sources came together with those of other jobs. */
export async function createCase(
  sources: readonly Sent[],
  site: string | null,
  fromCase: string | null = null,
): Promise<string> {
  const body = { sources: [...sources], site, alone: false, from_case: fromCase }
  const state = await answered(client.POST('/api/v1/cases', { body }))
  return state.id
}

export async function addToCase(caseId: string, sources: readonly Sent[]): Promise<void> {
  await answered(
    client.POST('/api/v1/cases/{case_id}/sources', {
      params: { path: { case_id: caseId } },
      body: { sources: [...sources] },
    }),
  )
}
