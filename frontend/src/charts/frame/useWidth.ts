import { useLayoutEffect, useRef, useState } from 'react'
import { usePrinting } from '../../ui/usePrinting'
import { useTextSpacing } from './textSpacing'

/** Width in pixels between the margins of a printed page (A4 or letter); a chart drawn for a window would be too
 * fine there. */
const SHEET = 680

/** The width of an element in whole pixels, followed as it changes, and whether it has been measured yet; on paper the
 * sheet's. What is drawn by it is drawn anew when a reader sets letters farther apart. */
export function useWidth<E extends HTMLElement>(initial = 640) {
  const ref = useRef<E>(null)
  const printing = usePrinting()
  useTextSpacing()
  const [width, setWidth] = useState(initial)
  const [measured, setMeasured] = useState(false)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const measure = () => setWidth((old) => Math.round(element.clientWidth) || old)
    measure()
    setMeasured(true)
    if (typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, printing ? SHEET : width, measured] as const
}
