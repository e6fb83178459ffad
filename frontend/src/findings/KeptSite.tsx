import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answered, client } from '../api/client'
import { caseQuery } from '../api/queries'
import type { CaseView } from '../api/types'
import button from '../ui/Button.module.css'
import css from './Rail.module.css'

/** Has the server keep the site that a person chose with the case, or give the choice back to the evidence. */
export function KeptSite({ view, site, title }: { view: CaseView; site: string; title: string }) {
  const queries = useQueryClient()
  const keep = useMutation({
    mutationFn: async (kept: string | null) =>
      (await answered(
        client.PATCH('/api/v1/cases/{case_id}', {
          params: { path: { case_id: view.id } },
          body: { site: kept },
        }),
      )) as CaseView,
    onSuccess: () => queries.invalidateQueries({ queryKey: caseQuery(view.id, null).queryKey }),
  })
  const stored = view.document?.site
  const other = stored !== undefined && site !== stored.id
  if (!other && view.site === null) return null
  return (
    <p className={css.kept}>
      {other ? (
        <button
          type="button"
          className={button.button}
          disabled={keep.isPending}
          onClick={() => keep.mutate(site)}
        >
          Keep {title} for this case
        </button>
      ) : (
        <button
          type="button"
          className={button.button}
          disabled={keep.isPending}
          onClick={() => keep.mutate(null)}
        >
          Let the evidence decide
        </button>
      )}
      {keep.error && <span role="alert">The choice was not kept: {keep.error.message}.</span>}
    </p>
  )
}
