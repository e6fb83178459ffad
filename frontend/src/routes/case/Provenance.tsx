import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CaseDocument } from '../../analysis/caseDocument'
import { EXPORTED_CASE } from '../../api/embedded'
import { removeCase } from '../../api/queries'
import type { CaseView } from '../../api/types'
import { moment } from '../../format'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import { Panel } from '../../ui/Panel'
import { useStillOnPage } from '../../ui/useStillOnPage'
import css from '../Case.module.css'

/** What made the document, so that it can be read, or computed again, a year later. */
export function Provenance({ view, document }: { view: CaseView; document: CaseDocument }) {
  const [asked, setAsked] = useState(false)
  const { made_by } = document
  return (
    <div className={css.made}>
      <span>Added {moment(view.created_at)}</span>
      <span>IOtriage {made_by.iotriage}</span>
      {view.stale === 'pending' && <span>an earlier version found this: the case is being read again</span>}
      {view.stale === 'given-up' && (
        <span>an earlier version found this: the case could not be read again</span>
      )}
      {view.sources.some((source) => source.gone_at !== null) && (
        <span>its files were kept long enough and are gone: this document is what is left</span>
      )}
      <Link to="/sites/$siteId" params={{ siteId: document.site.id }}>
        site {document.site.title}
      </Link>
      {!view.sample && EXPORTED_CASE === null && (
        <button type="button" className={`${button.link} screen`} onClick={() => setAsked(true)}>
          Remove this case
        </button>
      )}
      {asked && <Remove view={view} onClose={() => setAsked(false)} />}
    </div>
  )
}

function Remove({ view, onClose }: { view: CaseView; onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const stillHere = useStillOnPage()
  const remove = useMutation({
    mutationFn: () => removeCase(view.id),
    onSuccess: async () => {
      client.removeQueries({ queryKey: ['case', view.id] })
      void client.invalidateQueries({ queryKey: ['cases'] })
      if (stillHere()) await navigate({ to: '/' })
    },
  })
  return (
    <Panel title="Remove this case?" onClose={onClose}>
      <p className="soft">
        The case {view.title} and what was found go from the list, for everyone who has its address. Give its
        logs again to have it back.
      </p>
      {remove.error && (
        <Notice failed title="It could not be removed">
          {remove.error.message}
        </Notice>
      )}
      <div className={css.actions}>
        <button
          type="button"
          className={button.main}
          disabled={remove.isPending}
          onClick={() => remove.mutate()}
        >
          Remove it
        </button>
        <button type="button" className={button.button} onClick={onClose}>
          Keep it
        </button>
      </div>
    </Panel>
  )
}
