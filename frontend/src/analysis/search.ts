/** The thresholds by which a page is decided, from its address: `?site=archer2&set=small-io.fraction:0.2`. */
export interface DecidedBy {
  /** Another site than the one the case was made for. */
  site?: string
  /** Threshold id → the person's own number. */
  set?: Readonly<Record<string, number>>
}

/** What a person chose on a case, as stored in the address. */
export interface CaseSearch extends DecidedBy {
  /** The finding that is open: `rule` or `rule@scope`; "none" closes all. */
  open?: string
  /** Kinds of what the sources say that are open, with commas between; "none" closes all. */
  said?: string
  /** The finding whose evidence is played, and at which step one is, from 1. */
  play?: string
  step?: number
  /** Whether the charts show everything, and not only what the open finding is about. */
  charts?: 'all'
  /** What was pressed in a chart and stays lit in all: `rank.3`, `rank.0-7`, `ost.5`, `group.g1`, `time.12.5`. */
  mark?: string
  /** The chosen point of a what-if curve: quantity, group, direction and value. */
  whatif?: string
}

export const CASE_KEYS = [
  'site',
  'set',
  'open',
  'said',
  'play',
  'step',
  'charts',
  'mark',
  'whatif',
] as const satisfies readonly (keyof CaseSearch)[]

const ID = /^[a-z0-9][a-z0-9._-]*$/i

/** Unknown keys and malformed values are dropped: an address never breaks the page. */
export function validateDecidedBy(raw: Record<string, unknown>): DecidedBy {
  const by: DecidedBy = {}
  if (typeof raw.site === 'string' && ID.test(raw.site)) by.site = raw.site
  const set = typeof raw.set === 'string' ? parseSet(raw.set) : isSet(raw.set) ? raw.set : {}
  if (Object.keys(set).length > 0) by.set = set
  return by
}

/** Of an address, what the next page is to be decided by too. */
export const decidedBy = ({ site, set }: DecidedBy): DecidedBy => ({
  ...(site !== undefined && { site }),
  ...(set !== undefined && { set }),
})

/** The address with what was chosen laid over it; what is empty, or dropped, leaves it. */
export function searchWith<S extends object>(
  old: S,
  set: { readonly [K in keyof S]?: S[K] | undefined },
  dropped: readonly (keyof S)[] = [],
): S {
  const chosen = Object.entries({ ...old, ...set }).filter(
    ([key, value]) => value !== '' && value !== undefined && !dropped.some((one) => one === key),
  )
  return Object.fromEntries(chosen) as S
}

/** The address with another finding open, whose subject the charts then show. */
export function withOpen<S extends CaseSearch>({ charts: _, mark: __, ...old }: S, open: string) {
  return { ...old, open }
}

export function validateCaseSearch(raw: Record<string, unknown>): CaseSearch {
  const search: CaseSearch = validateDecidedBy(raw)
  if (typeof raw.open === 'string' && raw.open !== '') search.open = raw.open
  if (typeof raw.said === 'string' && /^[a-z,-]+$/.test(raw.said)) search.said = raw.said
  if (typeof raw.play === 'string' && raw.play !== '') search.play = raw.play
  const step = Number(raw.step)
  if (search.play !== undefined && Number.isInteger(step) && step >= 1 && step <= 9) search.step = step
  if (raw.charts === 'all') search.charts = 'all'
  if (typeof raw.mark === 'string' && /^[a-z]+\.[\w.-]+$/.test(raw.mark)) search.mark = raw.mark
  if (typeof raw.whatif === 'string' && /^[a-z_]+,g\d+,(read|write),\d+$/.test(raw.whatif))
    search.whatif = raw.whatif
  return search
}

function isSet(value: unknown): value is Record<string, number> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((v) => Number.isFinite(v as number))
  )
}

function parseSet(text: string): Record<string, number> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.lastIndexOf(':')
    const id = pair.slice(0, at)
    const value = Number(pair.slice(at + 1))
    return at > 0 && ID.test(id) && pair.slice(at + 1).trim() !== '' && Number.isFinite(value)
      ? [[id, value] as const]
      : []
  })
  return Object.fromEntries(pairs)
}

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

/** Plain words in the address, so that a person can read and edit it. */
export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === '') continue
    query.set(key, isSet(value) ? joinSet(value) : String(value))
  }
  const text = query.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%40', '@')
  return text === '' ? '' : `?${text}`
}

/** "a:1,b:0.5", as the address and the server have it. */
export function joinSet(set: Readonly<Record<string, number>>): string {
  return Object.keys(set)
    .sort()
    .map((id) => `${id}:${set[id]}`)
    .join(',')
}
