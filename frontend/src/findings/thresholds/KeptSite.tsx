import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answered, client } from '../../api/client'
import { caseQuery } from '../../api/queries'
import type { CaseView } from '../../api/types'
import button from '../../ui/Button.module.css'
import css from '../Rail.module.css'

/** Stores the chosen site with the case on the server; null lets the evidence decide again. */
export function useKeptSite(view: CaseView) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (kept: string | null) => {
      await answered(
        client.PATCH('/api/v1/cases/{case_id}', {
          params: { path: { case_id: view.id } },
          body: { site: kept },
        }),
      )
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: caseQuery(view.id, null).queryKey }),
  })
}

/** Whether the choice is stored, with a way back. `site` is the chosen one. */
export function KeptSite({
  view,
  site,
  title,
  keep,
  onBack,
}: {
  view: CaseView
  site: string
  title: string
  keep: ReturnType<typeof useKeptSite>
  onBack: () => void
}) {
  const kept = view.site !== null && view.site === site
  const other = !kept && site !== view.document?.site.id
  if (!kept && !other && !keep.error) return null
  return (
    <p className={css.kept}>
      <span role="status">
        {keep.isPending ? 'Keeping it …' : kept ? `${title} is kept for this case.` : ''}
      </span>
      {keep.error && <span role="alert">The choice was not kept: {keep.error.message}.</span>}
      {kept ? (
        <button
          type="button"
          className={button.button}
          disabled={keep.isPending}
          onClick={() => keep.mutate(null, { onSuccess: onBack })}
        >
          Let the evidence decide
        </button>
      ) : (
        other &&
        !keep.isPending && (
          <button type="button" className={button.button} onClick={() => keep.mutate(site)}>
            Keep {title} for this case
          </button>
        )
      )}
    </p>
  )
}
