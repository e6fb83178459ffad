import type { CaseDocument, FileRow } from '../api/types'

/** A file, or those of a group together under the path of the largest. */
export interface Line {
  readonly path: string
  readonly files: number
  readonly sum: FileRow
}

/** The groups of the document's files that took longest, `most` of them; where times are not recorded, those with most bytes. */
export function longest(document: CaseDocument, most: number): Line[] {
  const byGroup = new Map<string, FileRow[]>()
  for (const file of document.files) {
    const rows = byGroup.get(file.group)
    if (rows) rows.push(file)
    else byGroup.set(file.group, [file])
  }
  return [...byGroup.values()]
    .flatMap((rows): Line[] => {
      const first = rows[0]
      if (!first) return []
      return [{ path: first.path, files: rows.length, sum: rows.length === 1 ? first : sumOf(rows, first) }]
    })
    .sort((a, b) => (b.sum.time_s ?? -1) - (a.sum.time_s ?? -1))
    .slice(0, most)
}

/** A group's line: sums where they mean something, a value where all agree. */
function sumOf(rows: readonly FileRow[], first: FileRow): FileRow {
  const sum = (pick: (row: FileRow) => number | null) => {
    const known = rows.flatMap((row) => pick(row) ?? [])
    return known.length === rows.length ? known.reduce((a, b) => a + b, 0) : null
  }
  const same = <T>(pick: (row: FileRow) => T | null): T | null =>
    rows.every((row) => pick(row) === pick(first)) ? pick(first) : null
  return {
    ...first,
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
