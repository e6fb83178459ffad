import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { removeCase } from '../../api/queries'
import type { CaseView } from '../../api/types'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import { Panel } from '../../ui/Panel'
import { useStillOnPage } from '../../ui/useStillOnPage'
import css from '../Case.module.css'

/** What goes with a case, before it does. */
export function RemovePanel({ view, onClose }: { view: CaseView; onClose: () => void }) {
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
