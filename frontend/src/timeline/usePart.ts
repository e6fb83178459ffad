import { type PlaceholderDataFunction, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Box, clamped, contains, type Least, same } from './box'
import type { Asking } from './queries'
import type { Part } from './requests'

/** The plane rests when nobody has moved it for so long; only then is more asked for. */
const REST_MS = 140
const MOST = { rows: 1024, columns: 2048 } as const
/** A part is asked for with this share of the window around it, so that moving a little needs no more. */
const AROUND = 0.25

export interface Size {
  readonly width: number
  readonly height: number
}

/** The window a person sees, and the last one at which they stopped. It begins with the address's and is told to it. */
export function useBox(full: Box, least: Least, fromAddress: Box | null, onRest: (box: Box) => void) {
  const [box, setBox] = useState(() => clamped(fromAddress ?? full, full, least))
  const [rested, setRested] = useState(box)
  const settled = useRef(fromAddress)
  const latest = useRef(onRest)
  latest.current = onRest
  useEffect(() => {
    const timer = setTimeout(() => {
      setRested(box)
      settled.current = same(box, full) ? null : box
      latest.current(box)
    }, REST_MS)
    return () => clearTimeout(timer)
  }, [box, full])
  // Somebody went back, or followed a link within the page.
  const address = JSON.stringify(fromAddress)
  useEffect(() => {
    const next = JSON.parse(address) as Box | null
    if (JSON.stringify(rounded(settled.current)) === JSON.stringify(rounded(next))) return
    settled.current = next
    setBox(clamped(next ?? full, full, least))
  }, [address, full, least])
  return { box, rested, move: (next: Box) => setBox(clamped(next, full, least)) } as const
}

/** As the address has it, where digits are few. */
export function rounded(box: Box | null): Box | null {
  if (box === null) return null
  const digits = Math.max(0, 4 - Math.floor(Math.log10(Math.max(1e-9, box.t1 - box.t0))))
  const round = (s: number) => Number(s.toFixed(Math.min(12, digits)))
  return { t0: round(box.t0), t1: round(box.t1), y0: Math.floor(box.y0), y1: Math.ceil(box.y1) }
}

/** The part of a box that is asked for where pixels are of no account: whole rows, and no less than some of it. */
export const wholePart = (box: Box): Part => ({
  from_s: box.t0,
  to_s: box.t1,
  first_rank: Math.floor(box.y0),
  last_rank: Math.max(Math.floor(box.y0), Math.ceil(box.y1) - 1),
  rows: 1,
  columns: 1,
})

/** Whole rows around the box, at most as many pixels as are drawn. */
function partOf(box: Box, full: Box, size: Size, around: number): Part {
  const t = (box.t1 - box.t0) * around
  const y = (box.y1 - box.y0) * around
  const first = Math.max(full.y0, Math.floor(box.y0 - y))
  const end = Math.min(full.y1, Math.ceil(box.y1 + y))
  const wider = 1 + 2 * around
  return {
    from_s: Math.max(full.t0, box.t0 - t),
    to_s: Math.min(full.t1, box.t1 + t),
    first_rank: first,
    last_rank: Math.max(first, end - 1),
    rows: Math.min(MOST.rows, inSteps(size.height * wider)),
    columns: Math.min(MOST.columns, inSteps(size.width * wider)),
  }
}

/** A window that is made a little wider needs nothing new. Never more than there are pixels: none is drawn over another. */
const inSteps = (pixels: number) => Math.max(1, Math.floor(pixels / 64)) * 64

const boxOf = (part: Part): Box => ({
  t0: part.from_s,
  t1: part.to_s,
  y0: part.first_rank,
  y1: part.last_rank + 1,
})

/** What was shown before stays until the new part is there, where the same was asked of another part. */
function keeping<V>(asking: Asking<V>): UseQueryOptions<V, Error, V, readonly unknown[]> {
  const what = (key: readonly unknown[] | undefined) => JSON.stringify(key?.slice(0, -1))
  const kept: PlaceholderDataFunction<V, Error, V, readonly unknown[]> = (old, before) =>
    what(before?.queryKey) === what(asking.queryKey) ? old : undefined
  return { ...asking, placeholderData: kept as NonNullable<UseQueryOptions<V, Error, V>['placeholderData']> }
}

/**
 * The whole run at the plane's own resolution, and, once the window rests within it, that part finer. What was fetched
 * last stays until the next is there; what is no longer wanted is aborted.
 */
export function useParts<V>(
  query: (part: Part) => Asking<V>,
  full: Box,
  rested: Box,
  /** Null until the plane has been measured: nothing is asked for before. */
  measured: Size | null,
  /** Whether the whole already has everything in it. */
  isWhole: (whole: V) => boolean,
) {
  const size = measured ?? { width: 1, height: 1 }
  const whole = useQuery({ ...keeping(query(partOf(full, full, size, 0))), enabled: measured !== null })
  const wanted = useRef<Part | null>(null)
  const asked = partOf(rested, full, size, AROUND)
  const near =
    wanted.current !== null &&
    contains(boxOf(wanted.current), rested) &&
    wanted.current.to_s - wanted.current.from_s <= 1.2 * (asked.to_s - asked.from_s) &&
    wanted.current.last_rank - wanted.current.first_rank <= 1.2 * (asked.last_rank - asked.first_rank) + 2
  const part = near && wanted.current ? wanted.current : asked
  wanted.current = part
  const finer = measured !== null && whole.data !== undefined && !isWhole(whole.data) && !same(rested, full)
  const detail = useQuery({ ...keeping(query(part)), enabled: finer })
  return {
    whole: whole.data,
    detail: finer ? detail.data : undefined,
    error: whole.error ?? detail.error,
    fetching: whole.isFetching || (finer && detail.isFetching),
    refetch: () => (whole.error ? whole.refetch() : detail.refetch()),
  } as const
}
