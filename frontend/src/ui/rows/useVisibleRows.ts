import { useCallback, useLayoutEffect, useState } from 'react'

/** The height of a box that has none yet. */
const HEIGHT = 620

export interface VisibleRows {
  /** Given to the box that scrolls. */
  readonly box: (element: HTMLElement | null) => void
  readonly element: HTMLElement | null
  /** The rows that are drawn, by their index. */
  readonly rows: readonly number[]
  /** Pixels of the rows before and after them. */
  readonly before: number
  readonly after: number
  /** Scrolls until a row is in sight; to the top of the box where it says so. */
  readonly show: (row: number, atTop?: boolean) => void
}

/** Of many rows, each as high as the others, those in sight and some `beyond` on both sides; `heads` pixels of the box are
 * covered by what stays at its top. */
export function useVisibleRows({
  total,
  height,
  beyond,
  heads = 0,
}: {
  total: number
  height: number
  beyond: number
  heads?: number
}): VisibleRows {
  const [element, box] = useState<HTMLElement | null>(null)
  const [sight, setSight] = useState({ top: 0, rows: Math.ceil(HEIGHT / height) })
  useLayoutEffect(() => {
    if (!element) return
    const look = () => {
      const top = Math.floor(element.scrollTop / height)
      const rows = Math.ceil(element.clientHeight / height) + 1
      setSight((before) => (before.top === top && before.rows === rows ? before : { top, rows }))
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    const resized = typeof ResizeObserver === 'undefined' ? null : new ResizeObserver(look)
    resized?.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      resized?.disconnect()
    }
  }, [element, height])
  const show = useCallback(
    (row: number, atTop = false) => {
      if (!element) return
      const [top, bottom] = [row * height, (row + 1) * height]
      const seen = element.scrollTop
      if (atTop || top < seen) element.scrollTop = top
      else if (bottom + heads > seen + element.clientHeight)
        element.scrollTop = bottom + heads - element.clientHeight
    },
    [element, height, heads],
  )
  // Fewer rows than before: the box is scrolled back only once they are drawn.
  const first = Math.max(0, Math.min(sight.top, total - sight.rows) - beyond)
  const end = Math.min(total, Math.max(sight.top, 0) + sight.rows + beyond)
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i)
  return { box, element, rows, before: first * height, after: (total - first - rows.length) * height, show }
}
