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

/** Whether the page of a rule can be shown: a server has them all. */
export const holdsRule = (rule: string): boolean => EMBEDDED === null || `api/v1/rules/${rule}` in EMBEDDED

/** What is embedded in the page for this request, as a server would answer it; null where the page is no export. */
export function embeddedAnswer(request: Request, base: URL): Response | null {
  if (EMBEDDED === null) return null
  const { pathname, search } = new URL(request.url)
  const address = pathname.slice(base.pathname.length) + search
  return address in EMBEDDED
    ? Response.json(EMBEDDED[address])
    : Response.json(
        {
          title: 'This page is a file',
          detail: 'What is asked for here is not in it. Open the case on the server where it was exported.',
        },
        { status: 404 },
      )
}
