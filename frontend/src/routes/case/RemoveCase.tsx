import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { EXPORTED_CASE } from '../../api/embedded'
import { removeCase } from '../../api/queries'
import type { CaseView } from '../../api/types'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import { Panel } from '../../ui/Panel'
import { useStillOnPage } from '../../ui/useStillOnPage'
import css from '../Case.module.css'

/** The way to be rid of a case, with a diagnosis or without; samples stay. */
export function RemoveCase({ view, className }: { view: CaseView; className: string }) {
  const [asked, setAsked] = useState(false)
  if (view.sample || EXPORTED_CASE !== null) return null
  return (
    <>
      <button type="button" className={className} onClick={() => setAsked(true)}>
        Remove this case
      </button>
      {asked && <Remove view={view} onClose={() => setAsked(false)} />}
    </>
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
