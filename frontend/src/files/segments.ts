import type { FileGroupRow } from '../api/types'

/** A line of the table, before its data is there. */
export type Place =
  | { readonly kind: 'group'; readonly group: FileGroupRow; readonly open: boolean }
  | { readonly kind: 'file'; readonly group: FileGroupRow | null; readonly index: number }
  | { readonly kind: 'later' }

interface Segment {
  readonly from: number
  readonly length: number
  readonly at: (offset: number) => Place
}

/** The lines of the table one after another, without holding one object a file. */
export interface Segments {
  readonly total: number
  readonly segments: readonly Segment[]
}

/** `files` lines, each a file. */
export function flat(files: number): Segments {
  return put([{ length: files, at: (index) => ({ kind: 'file', group: null, index }) }])
}

/** A line for each group, below it its files where it is unfolded; the only file of a group is its line. `more`
 * groups are not there yet. */
export function folded(
  groups: readonly FileGroupRow[],
  unfolded: ReadonlySet<string>,
  more: number,
): Segments {
  const parts = groups.flatMap((group): Omit<Segment, 'from'>[] => {
    if (group.files === 1) return [{ length: 1, at: () => ({ kind: 'file', group, index: 0 }) }]
    const open = unfolded.has(group.group)
    const head = { length: 1, at: (): Place => ({ kind: 'group', group, open }) }
    if (!open) return [head]
    return [head, { length: group.files, at: (index) => ({ kind: 'file', group, index }) }]
  })
  return put([...parts, { length: more, at: () => ({ kind: 'later' }) }])
}

function put(parts: readonly Omit<Segment, 'from'>[]): Segments {
  let total = 0
  const segments = parts
    .filter((part) => part.length > 0)
    .map((part) => {
      const segment = { ...part, from: total }
      total += part.length
      return segment
    })
  return { total, segments }
}

/** What stands on a line; null past the end. */
export function placeAt({ segments, total }: Segments, line: number): Place | null {
  if (line < 0 || line >= total) return null
  let low = 0
  let high = segments.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((segments[middle]?.from ?? 0) <= line) low = middle
    else high = middle - 1
  }
  const segment = segments[low]
  return segment ? segment.at(line - segment.from) : null
}
