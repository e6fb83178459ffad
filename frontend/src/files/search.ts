import type { Focus } from '../analysis/focus'
import type { FileRow } from '../api/types'

/** What a person chose on the view of all files: `?q=chk&sort=-time_s&grouped=no&unfolded=g1,g3&file=/lustre/…`. */
export interface FilesSearch {
  /** Words in path, pattern or layers. */
  q?: string
  pattern?: string
  layer?: string
  moved?: Moved
  /** Column that the files are sorted by, `-` before it for descending; without it by what the leading finding is about. */
  sort?: string
  /** "no": every file is a line of its own. */
  grouped?: 'no'
  /** Ids of the groups that are unfolded, with commas between, or "none"; without it that of the leading finding. */
  unfolded?: string
  /** Path of the file that is opened. */
  file?: string
}

/** What the list can be sorted by; a minus before it is most first. */
const COLUMNS = [
  'path',
  'pattern',
  'layers',
  'ranks',
  'bytes_read',
  'bytes_written',
  'size_bytes',
  'independent_calls',
  'collective_calls',
  'time_s',
  'mean_metadata_s',
  'stripe_count',
  'stripe_size_bytes',
  'effective_ranks',
] as const satisfies readonly Exclude<keyof FileRow, 'group'>[]

export type Moved = 'read' | 'written' | 'both' | 'neither'

export const MOVED: readonly { value: Moved; words: string }[] = [
  { value: 'read', words: 'read only' },
  { value: 'written', words: 'written only' },
  { value: 'both', words: 'read and written' },
  { value: 'neither', words: 'nothing moved' },
]

export const MOST_SECONDS_FIRST = '-time_s'

/** Unknown keys and malformed values are dropped: an address never breaks the page. */
export function validateFilesSearch(raw: Record<string, unknown>): FilesSearch {
  const search: FilesSearch = {}
  const text = (value: unknown): value is string => typeof value === 'string' && value !== ''
  if (text(raw.q)) search.q = raw.q
  if (text(raw.pattern) && /^[a-z-]+$/.test(raw.pattern)) search.pattern = raw.pattern
  if (text(raw.layer) && /^[\w-]+$/.test(raw.layer)) search.layer = raw.layer
  const moved = MOVED.find((m) => m.value === raw.moved)
  if (moved) search.moved = moved.value
  if (text(raw.sort) && COLUMNS.some((column) => raw.sort === column || raw.sort === `-${column}`))
    search.sort = raw.sort
  if (raw.grouped === 'no') search.grouped = 'no'
  if (text(raw.unfolded) && /^(none|g\d+(,g\d+)*)$/.test(raw.unfolded)) search.unfolded = raw.unfolded
  if (text(raw.file)) search.file = raw.file
  return search
}

/** The part of it that the server is asked with. */
export type Asked = Pick<FilesSearch, 'q' | 'pattern' | 'layer' | 'moved'> & { readonly sort: string }

export const askedOf = ({ q, pattern, layer, moved, sort }: FilesSearch, focus: Focus | null): Asked => ({
  ...(q && { q }),
  ...(pattern && { pattern }),
  ...(layer && { layer }),
  ...(moved && { moved }),
  sort: sort ?? sortBy(focus),
})

/** Most first of what the leading finding is about. */
function sortBy(focus: Focus | null): string {
  if (focus?.of !== 'bytes' || focus.direction === null) return MOST_SECONDS_FIRST
  return focus.direction === 'read' ? '-bytes_read' : '-bytes_written'
}
