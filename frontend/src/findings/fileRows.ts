import type { CaseDocument, FileRow } from '../api/types'

/** The columns a file table can be sorted by. */
export type Column =
  | 'path'
  | 'pattern'
  | 'bytes_written'
  | 'bytes_read'
  | 'size_bytes'
  | 'stripe_count'
  | 'ranks'
  | 'collective_calls'
  | 'time_s'
  | 'metadata_time_s'
  | 'effective_ranks'

/** A line of the table: a file, or the files of a group together. */
export type Line =
  | { readonly kind: 'file'; readonly file: FileRow; readonly child: boolean }
  | {
      readonly kind: 'group'
      readonly id: string
      readonly label: string
      readonly files: number
      readonly sum: FileRow
      readonly open: boolean
    }

const COLUMNS: readonly Column[] = [
  'path',
  'pattern',
  'bytes_written',
  'bytes_read',
  'size_bytes',
  'stripe_count',
  'ranks',
  'collective_calls',
  'time_s',
  'metadata_time_s',
  'effective_ranks',
]

export interface Sort {
  readonly column: Column
  readonly descending: boolean
}

/** "-time_s" is descending by time; anything unknown is the most seconds first. */
export function sortOf(text: string | undefined): Sort {
  const name = (text ?? '-time_s').replace(/^-/, '')
  const column = COLUMNS.find((c) => c === name)
  return column
    ? { column, descending: text?.startsWith('-') ?? true }
    : { column: 'time_s', descending: true }
}

export const sortText = ({ column, descending }: Sort): string => `${descending ? '-' : ''}${column}`

function compare(a: FileRow, b: FileRow, { column, descending }: Sort): number {
  const [x, y] = [a[column], b[column]]
  // What is not recorded stands last, whichever way the rest is sorted.
  if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
  const order = x < y ? -1 : x > y ? 1 : 0
  return descending ? -order : order
}

function matches(file: FileRow, words: string): boolean {
  const text = `${file.path} ${file.pattern ?? ''} ${file.layers.join(' ')}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** The lines to show: groups of several files folded to one line each unless opened. */
export function linesOf(
  document: CaseDocument,
  { words, sort, grouped, open }: { words: string; sort: Sort; grouped: boolean; open: ReadonlySet<string> },
): Line[] {
  const files = document.files.filter((file) => matches(file, words))
  const single = (file: FileRow, child = false): Line => ({ kind: 'file', file, child })
  if (!grouped) return files.sort((a, b) => compare(a, b, sort)).map((file) => single(file))
  const byGroup = new Map<string, FileRow[]>()
  for (const file of files) byGroup.set(file.group, [...(byGroup.get(file.group) ?? []), file])
  const entries = [...byGroup].map(([id, rows]) => {
    const group = document.groups.find((g) => g.id === id)
    const sum = rows.length === 1 && rows[0] ? rows[0] : sumOf(rows, group?.label ?? id)
    return { id, label: group?.label ?? id, rows, sum }
  })
  return entries
    .sort((a, b) => compare(a.sum, b.sum, sort))
    .flatMap(({ id, label, rows, sum }) => {
      if (rows.length === 1) return [single(sum)]
      const unfolded = open.has(id)
      const head: Line = { kind: 'group', id, label, files: rows.length, sum, open: unfolded }
      return unfolded
        ? [head, ...rows.sort((a, b) => compare(a, b, sort)).map((f) => single(f, true))]
        : [head]
    })
}

/** A group's line: sums where they mean something, a value where all agree, the slowest file's time. */
function sumOf(rows: readonly FileRow[], path: string): FileRow {
  const sum = (pick: (row: FileRow) => number | null) => {
    const known = rows.flatMap((row) => pick(row) ?? [])
    return known.length === rows.length ? known.reduce((a, b) => a + b, 0) : null
  }
  const same = <T>(pick: (row: FileRow) => T | null): T | null => {
    const first = rows[0] ? pick(rows[0]) : null
    return rows.every((row) => pick(row) === first) ? first : null
  }
  return {
    path,
    group: rows[0]?.group ?? path,
    pattern: same((r) => r.pattern),
    layers: rows[0]?.layers ?? [],
    bytes_read: sum((r) => r.bytes_read),
    bytes_written: sum((r) => r.bytes_written),
    size_bytes: sum((r) => r.size_bytes),
    ranks: same((r) => r.ranks),
    independent_calls: sum((r) => r.independent_calls),
    collective_calls: sum((r) => r.collective_calls),
    time_s: sum((r) => r.time_s),
    metadata_time_s: sum((r) => r.metadata_time_s),
    stripe_count: same((r) => r.stripe_count),
    stripe_size_bytes: same((r) => r.stripe_size_bytes),
    effective_ranks: same((r) => r.effective_ranks),
  }
}
