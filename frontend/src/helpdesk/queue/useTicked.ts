import { useCallback, useState } from 'react'
import type { QueueEntry } from '../queries'

/** The entries that were ticked, to act on several at once. */
export function useTicked(entries: readonly QueueEntry[]) {
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set())
  const tick = useCallback(
    (id: number) =>
      setTicked((old) => {
        const next = new Set(old)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [],
  )
  return {
    ticked,
    chosen: entries.filter((entry) => ticked.has(entry.id)),
    tick,
    tickNone: () => setTicked(new Set()),
  }
}
