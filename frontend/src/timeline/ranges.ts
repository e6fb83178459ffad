import type { Box } from './box'
import type { Down } from './requests'
import { rangeOf, type TimelineSearch } from './search'
import { rounded } from './usePart'

const NAMES = { rank: 'ranks', offset: 'bytes', size: 'powers' } as const satisfies Record<
  Down,
  keyof TimelineSearch
>

/** Rows as an address has them: ranks with the last one included, bytes, or powers of two. */
function rowsText(down: Down, y0: number, y1: number): string {
  if (down === 'size') return `${0 - y1}..${0 - y0}`
  return `${y0}..${down === 'rank' ? Math.max(y0, y1 - 1) : y1}`
}

function rowsOfText(down: Down, text: string | undefined): readonly [number, number] | null {
  const range = rangeOf(text)
  if (range === null) return null
  if (down === 'size') return [0 - range[1], 0 - range[0]]
  return [range[0], range[1] + (down === 'rank' ? 1 : 0)]
}

/** The window of an address; null where it is the whole. */
export function windowOf(search: TimelineSearch, down: Down, full: Box): Box | null {
  const range = rangeOf(search.t)
  const rows = rowsOfText(down, search[NAMES[down]])
  if (range === null && rows === null) return null
  return {
    t0: range?.[0] ?? full.t0,
    t1: range?.[1] ?? full.t1,
    y0: rows?.[0] ?? full.y0,
    y1: rows?.[1] ?? full.y1,
  }
}

/** What of the address changes for a window; null where it says so already. */
export function windowInAddress(box: Box, full: Box, down: Down, search: TimelineSearch) {
  const at = rounded(box)
  if (!at) return null
  const wide = at.t0 <= full.t0 && at.t1 >= Math.min(full.t1, rounded(full)?.t1 ?? full.t1)
  const tall = at.y0 <= full.y0 && at.y1 >= full.y1
  const t = wide ? undefined : `${at.t0}..${at.t1}`
  const rows = tall ? undefined : rowsText(down, at.y0, at.y1)
  const name = NAMES[down]
  return t === search.t && rows === search[name] ? null : { t, [name]: rows }
}

/** What is selected, of an address; null where nothing is. */
export function selectionOf(search: TimelineSearch, down: Down, full: Box): Box | null {
  const range = rangeOf(search.sel)
  if (range === null || range[0] === range[1]) return null
  const rows = rowsOfText(down, search.rowsel)
  return { t0: range[0], t1: range[1], y0: rows?.[0] ?? full.y0, y1: rows?.[1] ?? full.y1 }
}

/** The same the other way, cut where it reaches out of the run. */
export function selectionInAddress(box: Box | null, full: Box, down: Down) {
  if (box === null) return { sel: undefined, rowsel: undefined }
  const at = rounded({
    t0: Math.max(full.t0, box.t0),
    t1: Math.min(full.t1, box.t1),
    y0: Math.max(full.y0, box.y0),
    y1: Math.min(full.y1, box.y1),
  })
  if (!at || at.t1 <= at.t0) return { sel: undefined, rowsel: undefined }
  const tall = at.y0 <= full.y0 && at.y1 >= full.y1
  return { sel: `${at.t0}..${at.t1}`, rowsel: tall ? undefined : rowsText(down, at.y0, at.y1) }
}
