import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { plural } from '../../format'
import { act, type QueueAction, type QueueEntry } from '../queries'
import { isUnanswered, nameOf } from './QueueRows'
import type { CurrentEntry } from './useCurrentEntry'

/** What is done to entries of the queue: an owner or a status is given to some of them. */
export type Done = Pick<QueueAction, 'owner' | 'status'>

/** Acts on entries. Who has dealt with the current one goes on to the next that waits. */
export function useActing(
  entries: readonly QueueEntry[],
  { index, current, followTicket }: CurrentEntry,
  look: (entry: QueueEntry) => void,
  /** Where none was refused. */
  onAllDone: () => void,
) {
  const queries = useQueryClient()
  const [said, setSaid] = useState<string | null>(null)
  const acting = useMutation({
    mutationFn: act,
    onSuccess: (done, what) => {
      if (done.every((one) => one.refused === null)) onAllDone()
      const [one] = done
      if (one && done.length === 1 && one.refused === null && !leaves(what)) followTicket(one.ticket)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['queue'] }),
  })
  const doTo = (some: readonly QueueEntry[], what: Done) => {
    if (some.length === 0) return
    const named = some.map(({ ticket, case: of, version }) =>
      ticket === null ? { case: of, version } : { ticket, version },
    )
    acting.mutate({ entries: named, ...what })
    const [first] = some
    const only = some.length === 1 ? first : undefined
    const next = leaves(what) && only === current ? nextAfter(entries, index) : undefined
    if (next) look(next)
    setSaid(
      leaves(what)
        ? `${only ? nameOf(only) : plural(some.length, 'entry', 'entries')}: ${what.status}`
        : null,
    )
  }
  const refused = acting.data?.flatMap((one) => one.refused ?? []) ?? []
  return {
    doTo,
    error: acting.error,
    /** Why some of the entries were left as they are. */
    refused,
    said: acting.isSuccess && refused.length === 0 ? said : null,
  }
}

/** What asks nothing more of the helpdesk for now. */
const leaves = ({ status }: Done): boolean =>
  status === 'answered' || status === 'waiting' || status === 'closed'

/** From the last of the list it goes on to the first. */
function nextAfter(entries: readonly QueueEntry[], index: number): QueueEntry | undefined {
  const others = [...entries.slice(index + 1), ...entries.slice(0, index)]
  return others.find(isUnanswered)
}
