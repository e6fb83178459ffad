import { useLayoutEffect, useRef, useState } from 'react'

/** The width of an element in whole pixels, followed as it changes. */
export function useWidth<E extends HTMLElement>(initial = 640) {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(initial)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element || typeof ResizeObserver === 'undefined') return
    const measure = () => setWidth((old) => Math.round(element.clientWidth) || old)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width] as const
}
