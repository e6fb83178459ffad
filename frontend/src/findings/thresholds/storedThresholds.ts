import { useSyncExternalStore } from 'react'
import type { Thresholds } from '../../analysis/evaluate'

const KEY = 'iotriage.thresholds'
const NONE: Thresholds = {}
const listeners = new Set<() => void>()
let last = { text: '', thresholds: NONE }

/** A person's own numbers, stored in this browser from one case to the next; empty where none are. */
export function useStoredThresholds(): Thresholds {
  return useSyncExternalStore(subscribe, stored)
}

/** Stores the numbers. Without browser storage nothing is stored; the address still has the numbers. */
export function storeThresholds(own: Thresholds): void {
  try {
    if (Object.keys(own).length === 0) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, JSON.stringify(own))
  } catch {
    return
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // Another tab stored other numbers.
  globalThis.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    globalThis.removeEventListener('storage', listener)
  }
}

function stored(): Thresholds {
  let text = ''
  try {
    text = localStorage.getItem(KEY) ?? ''
  } catch {
    // Storage may be forbidden.
  }
  if (text !== last.text) last = { text, thresholds: parsed(text) }
  return last.thresholds
}

function parsed(text: string): Thresholds {
  try {
    const found: unknown = JSON.parse(text)
    if (typeof found !== 'object' || found === null) return NONE
    return Object.fromEntries(
      Object.entries(found).filter((pair): pair is [string, number] => Number.isFinite(pair[1])),
    )
  } catch {
    return NONE
  }
}
