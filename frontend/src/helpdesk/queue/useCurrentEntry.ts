import { useState } from 'react'
import type { QueueEntry } from '../queries'

export interface CurrentEntry {
  /** Its place among the entries; -1 where there are none. */
  readonly index: number
  readonly current: QueueEntry | null
  /** The entry of this ticket is the current one from now on, whatever the address names; null: the address decides. */
  readonly followTicket: (ticket: number | null) => void
}

/** The entry that is previewed and that keys act on: the one with the id `at`, which stands in the address. */
export function useCurrentEntry(entries: readonly QueueEntry[], at: string | undefined): CurrentEntry {
  // A case that is taken is another entry from then on: its ticket's.
  const [followed, followTicket] = useState<number | null>(null)
  const followedTo = followed === null ? -1 : entries.findIndex((entry) => entry.ticket === followed)
  const place = followedTo >= 0 ? followedTo : entries.findIndex((entry) => String(entry.id) === at)
  // Where one that was answered or closed is listed no longer, the one behind it is looked at.
  const [last, setLast] = useState(0)
  if (place >= 0 && place !== last) setLast(place)
  const index = place >= 0 ? place : Math.min(last, entries.length - 1)
  return { index, current: entries[index] ?? null, followTicket }
}
