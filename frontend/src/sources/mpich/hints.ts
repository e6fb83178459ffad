import type { CaseDocument } from '../../analysis/caseDocument'
import type { Where } from '../../api/types'
import { baseName } from '../../format'
import { at, type PartOf, type TextEvidence, textEvidence } from '../textEvidence'

type HintList = PartOf<'mpiio_hints'>

/** A value that was asked for, and where. */
interface Asked {
  readonly value: string
  readonly where: Where
}

export interface HintRow {
  readonly key: string
  /** As the open file answers; null where it was only asked for. */
  readonly shown: { readonly value: string; readonly where: Where } | null
  readonly asked: Asked | null
  readonly matters: boolean
  /** False where another value is displayed than was asked for; null where one of the two is not known. */
  readonly followed: boolean | null
}

/** Lists that say the same, of one file or of many. */
export interface HintGroup {
  readonly id: string
  readonly files: readonly string[]
  readonly lists: number
  readonly printedBy: HintList['printed_by'] | null
  readonly stage: HintList['stage']
  readonly rank: number | null
  readonly complete: boolean
  readonly trusted: boolean
  readonly where: Where | null
  readonly rows: readonly HintRow[]
}

const MATTERS = /^(romio_(cb|ds)_(write|read)|cb_nodes|striping_(factor|unit)|cray_cb_.+)$/

export const matters = (key: string): boolean => MATTERS.test(key)

interface Pattern {
  readonly pattern: string | null
  readonly key: string
  readonly value: string
}

const bare = (text: string): string => text.trim().replace(/^[“”‘’"']+|[“”‘’"']+$/g, '')

/** The hints of an MPICH_MPIIO_HINTS string: `pattern:key=value[:key=value…][,pattern:…]`. */
export function patternsOf(text: string): Pattern[] {
  const found: Pattern[] = []
  for (const entry of bare(text).split(',')) {
    let pattern: string | null = null
    for (const piece of entry.split(':')) {
      const equals = piece.indexOf('=')
      if (equals >= 0)
        found.push({ pattern, key: piece.slice(0, equals).trim(), value: bare(piece.slice(equals + 1)) })
      else pattern = piece.trim() || null
    }
  }
  return found
}

/** Shell patterns of `*` and `?`, in time linear in pattern times name. */
export function fits(name: string, pattern: string): boolean {
  let [n, p, star, mark] = [0, 0, -1, 0]
  while (n < name.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p
      mark = n
      p += 1
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) {
      p += 1
      n += 1
    } else if (star >= 0) {
      p = star + 1
      mark += 1
      n = mark
    } else return false
  }
  return /^\**$/.test(pattern.slice(p))
}

interface AskedHint extends Pattern {
  readonly where: Where
}

const isSet = (value: string | null): value is string => value !== null && value !== '' && value !== 'NULL'

/** What MPICH_MPIIO_HINTS asks for, in the job script and in the environment as the library displays it. */
function askedHints(document: CaseDocument): AskedHint[] {
  const shown = textEvidence(document, 'mpich_environment').flatMap(({ source, part }) =>
    part.settings.map((setting) => ({ source, ...setting })),
  )
  const scripted = textEvidence(document, 'job_context').flatMap(({ source, part }) =>
    part.environment.map((setting) => ({ source, ...setting })),
  )
  return [...scripted, ...shown].flatMap(({ source, name, value, line }) =>
    name === 'MPICH_MPIIO_HINTS' && isSet(value)
      ? patternsOf(value).map((hint) => ({ ...hint, where: at(source, line) }))
      : [],
  )
}

/** Every list of hints with what was asked for beside it; lists that say the same are one. */
export function hintGroups(document: CaseDocument): HintGroup[] {
  const asked = askedHints(document)
  const lists = textEvidence(document, 'mpiio_hints')
  const groups = new Map<
    string,
    { first: TextEvidence<'mpiio_hints'>; files: string[]; lists: number; rows: HintRow[] }
  >()
  for (const list of lists) {
    if (isPassed(list, lists)) continue
    const rows = rowsOf(list, asked, passedBefore(list, lists))
    const { printed_by, stage, trusted, complete } = list.part
    const same = JSON.stringify([
      printed_by,
      stage,
      trusted,
      complete,
      rows.map((row) => [row.key, row.shown?.value, row.asked?.value]),
    ])
    const group = groups.get(same) ?? { first: list, files: [], lists: 0, rows }
    group.lists += 1
    if (list.part.file !== null && !group.files.includes(list.part.file)) group.files.push(list.part.file)
    groups.set(same, group)
  }
  const found: HintGroup[] = [...groups.values()].map(
    ({ first: { source, part }, files, lists: n, rows }) => ({
      id: `${source}:${part.lines.first}`,
      files,
      lists: n,
      printedBy: part.printed_by,
      stage: part.stage,
      rank: part.rank,
      complete: part.complete,
      trusted: part.trusted,
      where: at(source, part.lines.first, part.lines.last),
      rows,
    }),
  )
  return found.length > 0 || asked.length === 0 ? found : [onlyAsked(asked)]
}

/** IOR prints what it passes to the open, then what the open file answers: the first stands beside the second. */
function isPassed(list: TextEvidence<'mpiio_hints'>, lists: readonly TextEvidence<'mpiio_hints'>[]): boolean {
  return list.part.stage === 'requested' && lists.some((other) => passedBefore(other, lists) === list)
}

function passedBefore(
  list: TextEvidence<'mpiio_hints'>,
  lists: readonly TextEvidence<'mpiio_hints'>[],
): TextEvidence<'mpiio_hints'> | null {
  if (list.part.stage !== 'effective') return null
  const before = lists[lists.indexOf(list) - 1]
  const pairs =
    before?.part.stage === 'requested' &&
    before.source === list.source &&
    before.part.printed_by === list.part.printed_by
  return before && pairs ? before : null
}

function rowsOf(
  { source, part }: TextEvidence<'mpiio_hints'>,
  asked: readonly AskedHint[],
  passed: TextEvidence<'mpiio_hints'> | null,
): HintRow[] {
  const name = part.file === null ? null : baseName(part.file)
  const wanted = new Map<string, Asked>()
  for (const { pattern, key, value, where } of asked) {
    if (pattern !== null && (name === null || fits(name, baseName(pattern))))
      wanted.set(key, { value, where })
  }
  for (const hint of passed?.part.hints ?? [])
    wanted.set(hint.key, { value: hint.value, where: at(passed?.source ?? source, hint.line) })
  const shown = part.hints.map((hint): HintRow => {
    const want = part.stage === 'requested' ? null : (wanted.get(hint.key) ?? null)
    return {
      key: hint.key,
      shown: { value: hint.value, where: at(source, hint.line) },
      asked: want,
      matters: matters(hint.key),
      followed: want && part.trusted ? want.value.toLowerCase() === hint.value.toLowerCase() : null,
    }
  })
  const displayed = new Set(part.hints.map((hint) => hint.key))
  const unseen = [...wanted].flatMap(([key, want]): HintRow[] =>
    displayed.has(key) ? [] : [{ key, shown: null, asked: want, matters: true, followed: null }],
  )
  return [...shown, ...unseen].sort((a, b) => Number(b.followed === false) - Number(a.followed === false))
}

function onlyAsked(asked: readonly AskedHint[]): HintGroup {
  return {
    id: 'asked',
    files: [...new Set(asked.flatMap((hint) => hint.pattern ?? []))],
    lists: 0,
    printedBy: null,
    stage: null,
    rank: null,
    complete: true,
    trusted: true,
    where: null,
    rows: asked.map(({ pattern, key, value, where }) => ({
      key: pattern === null ? `${key}, without a file pattern` : key,
      shown: null,
      asked: { value, where },
      matters: matters(key),
      followed: null,
    })),
  }
}
