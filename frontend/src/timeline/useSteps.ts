import { useRef } from 'react'
import type { Box } from './box'
import type { CallColumns } from './callColumns'
import type { Down } from './requests'
import { pinOf, placeOf } from './selected/pinned'
import { callAt } from './tiles'

/** A point of the plane, and how far from it a few pixels are. */
export interface Place {
  readonly t: number
  readonly y: number
  readonly reach: { readonly t: number; readonly y: number }
}

/** Steps from call to call of those in view, in the order of the trace, and picks one: that at a place, else the one that was
 * stepped to last. */
export function useSteps(calls: CallColumns | undefined, box: Box, down: Down) {
  /** Closer, or of another file, the trace comes as other calls: its place among those is another's, and the call itself is
   * looked for. */
  const last = useRef<{ readonly of: CallColumns; readonly at: number } | null>(null)
  const lastIn = (now: CallColumns) => {
    if (last.current === null) return -1
    const { of, at } = last.current
    return of === now ? at : placeOf(pinOf(of, at), now)
  }
  return {
    /** The next call, or the one before; null where none is in view. */
    step(by: 1 | -1): number | null {
      if (calls === undefined) return null
      const from = lastIn(calls)
      let next = from < 0 && by < 0 ? calls.count : from
      for (let tries = 0; tries < calls.count; tries++) {
        next = (next + by + calls.count) % calls.count
        if (!isInView(calls, next, box, down)) continue
        last.current = { of: calls, at: next }
        return next
      }
      return null
    },
    pick(place: Place | null): number | null {
      if (calls === undefined) return null
      const found = place === null ? lastIn(calls) : callAt(calls, place.t, place.y, place.reach, down)
      return found < 0 ? null : found
    },
  }
}

const isInView = (calls: CallColumns, i: number, box: Box, down: Down): boolean =>
  (calls.end[i] ?? 0) >= box.t0 &&
  (calls.start[i] ?? 0) <= box.t1 &&
  (down !== 'rank' || ((calls.rank[i] ?? 0) >= Math.floor(box.y0) && (calls.rank[i] ?? 0) < box.y1))
