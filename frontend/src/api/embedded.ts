import { type EmbeddedTrace, NotHeldError, traceAnswer } from './embeddedTrace'

type Embedded = Readonly<Record<string, unknown>>

/** An exported page has no server: what it would ask for stands in the page itself, by address. */
const element = document.getElementById('answers')
const EMBEDDED = element === null ? null : await unpacked(element.textContent)

async function unpacked(text: string): Promise<Embedded> {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return (await new Response(stream).json()) as Embedded
}

/** The id of the case that this page is an export of; null where a server stands behind it. */
export const EXPORTED_CASE: string | null =
  Object.keys(EMBEDDED ?? {}).flatMap(
    (address) => /^api\/v1\/cases\/([^/?]+)$/.exec(address)?.[1] ?? [],
  )[0] ?? null

/** When the link ends that shows this page; null where the page is a file, or a server's. */
export const SHARED_UNTIL: string | null =
  typeof EMBEDDED?.['shared-until'] === 'string' ? EMBEDDED['shared-until'] : null

/** Whether the page of a rule can be shown: a server has them all. */
export const holdsRule = (rule: string): boolean => EMBEDDED === null || `api/v1/rules/${rule}` in EMBEDDED

const TIMES = /\/(trace\/kept|files\/spans)(\?|$)/

/** Whether the page can show a timeline: a server is asked for it. */
export const HOLDS_TIMELINE: boolean =
  EMBEDDED === null ||
  Object.entries(EMBEDDED).some(([address, answer]) => answer !== null && TIMES.test(address))

const NOT_HELD = new NotHeldError(
  'This page is a file',
  'What is asked for here is not in it. Open the case on the server where it was exported.',
)

/** What is embedded in the page for this request, as a server would answer it; null where the page is no export. */
export function embeddedAnswer(request: Request, base: URL): Response | null {
  if (EMBEDDED === null) return null
  const { pathname, search, searchParams } = new URL(request.url)
  const address = pathname.slice(base.pathname.length)
  try {
    const answer = EMBEDDED[address + search] ?? ofTrace(EMBEDDED, address, searchParams)
    if (answer === undefined) throw NOT_HELD
    return Response.json(answer)
  } catch (error) {
    if (!(error instanceof NotHeldError)) throw error
    return Response.json({ title: error.title, detail: error.detail }, { status: 404 })
  }
}

const TRACE = /^(api\/v1\/cases\/[^/]+\/sources\/\d+\/trace)(?:\/(timeline|selection|heatmap))?$/

function ofTrace(embedded: Embedded, address: string, asked: URLSearchParams): unknown {
  const [, trace, what] = TRACE.exec(address) ?? []
  // Only a page of one file has this in its script.
  if (trace === undefined || import.meta.env.MODE !== 'export') return undefined
  const member = asked.get('member')
  const answers = embedded[`${trace}/kept${member === null ? '' : `?member=${member}`}`]
  if (answers === undefined) return undefined
  return traceAnswer(answers as EmbeddedTrace, what, (name) => asked.get(name)) ?? undefined
}
