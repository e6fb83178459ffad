import { useSyncExternalStore } from 'react'

/** Whether a media query holds; where nothing can tell, as in tests, it does. One beside a `max-width` of a style sheet is
 * its negation: a zoomed window may be 1080.45 pixels wide. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = globalThis.matchMedia?.(query)
      list?.addEventListener('change', changed)
      return () => list?.removeEventListener('change', changed)
    },
    () => globalThis.matchMedia?.(query).matches ?? true,
  )
}
