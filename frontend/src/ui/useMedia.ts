import { useSyncExternalStore } from 'react'

/** Whether a media query holds; where nothing can tell, as in tests, it does. */
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
