import { useRef } from 'react'
import type { Box } from './box'
import type { CallColumns } from './callColumns'
import type { Down } from './requests'
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
  const current = useRef(-1)
  return {
    /** The next call, or the one before; null where none is in view. */
    step(by: 1 | -1): number | null {
      if (calls === undefined) return null
      let next = current.current < 0 && by < 0 ? calls.count : current.current
      for (let tries = 0; tries < calls.count; tries++) {
        next = (next + by + calls.count) % calls.count
        if (!isInView(calls, next, box, down)) continue
        current.current = next
        return next
      }
      return null
    },
    pick(place: Place | null): number | null {
      if (calls === undefined) return null
      const found = place === null ? current.current : callAt(calls, place.t, place.y, place.reach, down)
      return found < 0 ? null : found
    },
  }
}

const isInView = (calls: CallColumns, i: number, box: Box, down: Down): boolean =>
  (calls.end[i] ?? 0) >= box.t0 &&
  (calls.start[i] ?? 0) <= box.t1 &&
  (down !== 'rank' || ((calls.rank[i] ?? 0) >= Math.floor(box.y0) && (calls.rank[i] ?? 0) < box.y1))
