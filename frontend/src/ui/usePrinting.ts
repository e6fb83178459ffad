import { useSyncExternalStore } from 'react'

let printing = false

function subscribe(changed: () => void): () => void {
  const set = (now: boolean) => () => {
    printing = now
    changed()
  }
  const [before, after] = [set(true), set(false)]
  addEventListener('beforeprint', before)
  addEventListener('afterprint', after)
  return () => {
    removeEventListener('beforeprint', before)
    removeEventListener('afterprint', after)
  }
}

/** Whether the page is being printed: true from before the browser lays it out for paper. */
export const usePrinting = (): boolean => useSyncExternalStore(subscribe, () => printing)
