import { useSyncExternalStore } from 'react'

type Theme = 'light' | 'dark'
const KEY = 'iotriage.theme'
const listeners = new Set<() => void>()

const system = (): Theme =>
  globalThis.matchMedia?.('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'

function current(): Theme {
  const chosen = document.documentElement.dataset.theme
  return chosen === 'light' || chosen === 'dark' ? chosen : system()
}

/** Switches to the other theme. Where that is the system's own, the page follows the system again. */
export function toggleTheme(): void {
  const next: Theme = current() === 'dark' ? 'light' : 'dark'
  const { dataset } = document.documentElement
  if (next === system()) delete dataset.theme
  else dataset.theme = next
  try {
    if (next === system()) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, next)
  } catch {
    // Without storage the choice holds for this page.
  }
  for (const listener of listeners) listener()
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    const query = globalThis.matchMedia?.('(prefers-color-scheme: dark)')
    query?.addEventListener('change', listener)
    return () => {
      listeners.delete(listener)
      query?.removeEventListener('change', listener)
    }
  }, current)
}
