import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

/** What may be wider than its place. Where more lies beyond the edge, it is gone to by Tab and scrolled by the arrows. */
export function Scroll({
  label,
  className = '',
  id,
  live = false,
  children,
}: {
  label: string
  className?: string | undefined
  id?: string
  /** Changes of it are read out. */
  live?: boolean
  children: ReactNode
}) {
  const [ref, beyond] = useBeyond()
  return (
    <div
      ref={ref}
      id={id}
      className={`scroll ${className}`}
      aria-live={live ? 'polite' : undefined}
      {...(beyond && { role: 'group', tabIndex: 0, 'aria-label': label })}
    >
      {children}
    </div>
  )
}

/** Whether there is more of an element than is seen, followed as either changes. */
function useBeyond() {
  const ref = useRef<HTMLDivElement>(null)
  const [beyond, setBeyond] = useState(false)
  // After each drawing: what stands in it may be another element than the one that was followed.
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const measure = () =>
      setBeyond(element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight)
    measure()
    if (typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(measure)
    for (const one of [element, ...element.children]) observer.observe(one)
    return () => observer.disconnect()
  })
  return [ref, beyond] as const
}
