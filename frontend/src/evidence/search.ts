/** What a person chose on the view of the evidence: `?source=1&line=42`, `?source=0&module=POSIX&counter=opens`,
 * `?shown=figures&figure=speed`. */
export interface EvidenceSearch {
  /** What was derived from the sources, and not they. */
  shown?: 'figures'
  /** Words of a figure. */
  figure?: string
  /** "yes": figures that are not known, too. */
  missing?: 'yes'
  /** Index of the source in the document. */
  source?: number
  /** A line of a text to stand at, and the last one where several are meant. */
  line?: number
  to?: number
  /** A module of a log. */
  module?: string
  /** Words in the name of the counter. */
  counter?: string
  /** Words in the name of the file. */
  of?: string
  /** A record's id, in decimal. */
  record?: string
  /** "yes": counters that are 0 or not available, too. */
  zeros?: 'yes'
  /** "yes": the largest values first. */
  largest?: 'yes'
}

/** Unknown keys and malformed values are dropped: an address never breaks the page. */
export function validateEvidenceSearch(raw: Record<string, unknown>): EvidenceSearch {
  const search: EvidenceSearch = {}
  const source = whole(raw.source, 0)
  const line = whole(raw.line, 1)
  const to = whole(raw.to, 1)
  if (source !== null) search.source = source
  if (line !== null) search.line = line
  if (line !== null && to !== null && to > line) search.to = to
  if (typeof raw.module === 'string' && /^[\w/-]+$/.test(raw.module)) search.module = raw.module
  if (typeof raw.counter === 'string' && raw.counter !== '') search.counter = raw.counter
  if (typeof raw.of === 'string' && raw.of !== '') search.of = raw.of
  if (typeof raw.record === 'string' && /^\d{1,20}$/.test(raw.record)) search.record = raw.record
  if (raw.shown === 'figures') search.shown = 'figures'
  if (typeof raw.figure === 'string' && raw.figure !== '') search.figure = raw.figure
  if (raw.missing === 'yes') search.missing = 'yes'
  if (raw.zeros === 'yes') search.zeros = 'yes'
  if (raw.largest === 'yes') search.largest = 'yes'
  return search
}

function whole(value: unknown, least: number): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= least ? number : null
}
