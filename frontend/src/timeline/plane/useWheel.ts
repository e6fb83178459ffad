import { type RefObject, useEffect, useRef } from 'react'

/** React's own wheel handlers are passive: the page would scroll as well. */
export function useWheel(element: RefObject<HTMLElement | null>, onWheel: (event: WheelEvent) => void) {
  const latest = useRef(onWheel)
  latest.current = onWheel
  useEffect(() => {
    const target = element.current
    const listen = (event: WheelEvent) => latest.current(event)
    target?.addEventListener('wheel', listen, { passive: false })
    return () => target?.removeEventListener('wheel', listen)
  }, [element])
}
