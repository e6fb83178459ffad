import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import css from './Ticket.module.css'

/** Where a text that was written is saved or given up, and why it was not saved. */
export function FormEnd({
  saving,
  onCancel,
}: {
  saving: { readonly isPending: boolean; readonly error: Error | null }
  onCancel: () => void
}) {
  return (
    <>
      <div className={css.acts}>
        <button type="submit" className={button.main} disabled={saving.isPending}>
          Save
        </button>
        <button type="button" className={button.bare} onClick={onCancel}>
          Cancel
        </button>
      </div>
      {saving.error && (
        <Notice failed title="It was not saved">
          {saving.error.message}
        </Notice>
      )}
    </>
  )
}
