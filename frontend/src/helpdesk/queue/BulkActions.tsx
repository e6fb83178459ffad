import { plural } from '../../format'
import button from '../../ui/Button.module.css'
import { Owners } from '../Owners'
import type { QueueAction, QueueEntry } from '../queries'
import css from './Queue.module.css'
import { STATUS_WORDS, STATUSES } from './search'

/** What can be done to the chosen ones: at the foot of the window, so that no row moves while they are chosen. */
export function BulkActions({
  chosen,
  onTake,
  onDo,
  onNone,
}: {
  chosen: readonly QueueEntry[]
  onTake: () => void
  onDo: (what: Pick<QueueAction, 'owner' | 'status'>) => void
  onNone: () => void
}) {
  return (
    <div className={css.bulk} role="toolbar" aria-label="What to do with the chosen ones">
      <b>{plural(chosen.length, 'entry', 'entries')} chosen</b>
      <button type="button" className={button.button} onClick={onTake}>
        Take
      </button>
      <Owners
        label="Owner of the chosen ones"
        value={undefined}
        onChoose={(owner) => onDo({ owner: owner ?? '' })}
      />
      <select
        className={button.select}
        aria-label="Status of the chosen ones"
        value=""
        onChange={({ target }) => {
          const status = STATUSES.find((one) => one === target.value)
          if (status) onDo({ status })
        }}
      >
        <option value="">set status</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {STATUS_WORDS[status]}
          </option>
        ))}
      </select>
      <button type="button" className={button.bare} onClick={onNone}>
        Choose none
      </button>
    </div>
  )
}
