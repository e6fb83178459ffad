import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { answered, client } from '../../api/client'
import type { Unit } from '../../api/types'
import { exactly } from '../../format'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import css from './Administration.module.css'
import { profilesQuery } from './queries'

/** A number for a threshold of a rule. */
export interface Chosen {
  readonly threshold: string
  readonly unit: Unit
  readonly value: number
}

/** Writes a number with its reason into the profile of a site; `children` are the fields that choose both. */
export function StoreThreshold({
  site,
  chosen,
  says,
  onKept,
  children,
}: {
  site: string | undefined
  chosen: Chosen | null
  /** How the number was come by, in the profile. */
  says: string
  onKept?: () => void
  children: ReactNode
}) {
  const queries = useQueryClient()
  const own = useQuery(profilesQuery)
  const [why, setWhy] = useState('')
  const keep = useMutation({
    mutationFn: ({ threshold, value, at }: Chosen & { at: string }) =>
      answered(
        client.PUT('/api/v1/sites/{site_id}/thresholds/{threshold_id}', {
          params: { path: { site_id: at, threshold_id: threshold } },
          body: { value, why, says },
        }),
      ),
    onSuccess: async () => {
      setWhy('')
      onKept?.()
      // Cases are judged again by it.
      await queries.invalidateQueries()
    },
  })
  const named = chosen && exactly(chosen.value, chosen.unit)
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen && site !== undefined) keep.mutate({ ...chosen, at: site })
      }}
    >
      {children}
      <label className={css.wide}>
        Why this number
        <input
          className={button.field}
          required
          maxLength={2000}
          value={why}
          onChange={({ target }) => setWhy(target.value)}
        />
      </label>
      <button
        type="submit"
        className={button.main}
        disabled={keep.isPending || own.data?.not_kept !== null || site === undefined}
      >
        {named ? `Keep ${named}` : 'Keep'}
      </button>
      {keep.error && (
        <Notice failed title="It was not kept">
          {keep.error.message}
        </Notice>
      )}
      {keep.isSuccess && (
        <Notice
          title={`${exactly(keep.variables.value, keep.variables.unit)} is in the profile of ${keep.variables.at}`}
        />
      )}
    </form>
  )
}
