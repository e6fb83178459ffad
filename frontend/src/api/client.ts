import createClient from 'openapi-fetch'
import { embeddedAnswer } from './embedded'
import type { components, paths } from './schema'

/** Where the page stands: the server writes its path prefix into <base>. */
export const BASE = new URL('.', document.baseURI)

/** An answer that is not a success, as a person should read it. */
export class ApiError extends Error {
  constructor(
    readonly title: string,
    readonly detail: string,
    /** HTTP status; 0 where no answer came. */
    readonly status: number,
  ) {
    super(`${title}. ${detail}`)
    this.name = 'ApiError'
  }
}

export const unreachable = (): ApiError =>
  new ApiError(
    'The server does not answer',
    `No answer came from ${BASE.host}. Check that iotriage serve is running there, then try again.`,
    0,
  )

const ofAProxy = (status: number): string => {
  if (status === 413) return 'A proxy in front of IOtriage lets nothing so large through.'
  if (status >= 502 && status <= 504)
    return 'A proxy in front of IOtriage got no answer from it: it is being started again, or takes too long.'
  return 'The answer did not come from IOtriage itself; a proxy in front of it may have refused the request.'
}

/** A problem+json body in words; a proxy's own error page has none. */
export function problemOf(body: unknown, status: number): ApiError {
  if (isProblem(body)) {
    const fields = (body.errors ?? []).map((e) => `${e.where}: ${e.message}`)
    return new ApiError(body.title, [body.detail, ...fields].join(' '), status)
  }
  return new ApiError(`The server answered with status ${status}`, ofAProxy(status), status)
}

type Problem = Pick<components['schemas']['ProblemDetails'], 'title' | 'detail'> &
  Partial<components['schemas']['ProblemDetails']>

function isProblem(body: unknown): body is Problem {
  return (
    typeof body === 'object' &&
    body !== null &&
    'title' in body &&
    'detail' in body &&
    typeof body.title === 'string' &&
    typeof body.detail === 'string'
  )
}

/** `fetch` is looked up at each call, so that tests can stand at that boundary. */
export const client = createClient<paths>({
  baseUrl: BASE.href.replace(/\/$/, ''),
  fetch: async (request) => embeddedAnswer(request, BASE) ?? fetch(request),
})

interface Answered<T> {
  readonly data?: T | undefined
  readonly error?: unknown
  readonly response: Response
}

/** The body of a success; everything else is thrown as an ApiError. */
export async function answered<T>(call: Promise<Answered<T>>): Promise<T> {
  let answer: Answered<T>
  try {
    answer = await call
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreachable()
  }
  if (!answer.response.ok) throw problemOf(answer.error, answer.response.status)
  return answer.data as T
}
