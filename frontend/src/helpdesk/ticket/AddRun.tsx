import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { infoQuery } from '../../api/queries'
import type { Sent } from '../../api/upload'
import { Panel } from '../../ui/Panel'
import segments from '../../ui/Segments.module.css'
import { Upload } from '../../upload/Upload'
import type { Ticket } from '../queries'
import css from './Ticket.module.css'

/** On which side of the advice a run is; null where the start of its job is to tell. */
export type Side = 'before' | 'after' | null

const SIDES: readonly { readonly side: Side; readonly words: string; readonly says: string }[] = [
  {
    side: null,
    words: 'by its start',
    says: 'Before the advice, where its job began before the ticket was first answered; else after it.',
  },
  {
    side: 'after',
    words: 'after the advice',
    says: 'It is compared with the run before, and the ticket says what came of the advice.',
  },
  { side: 'before', words: 'before the advice', says: 'It is one more of what the advice is about.' },
]

/** Where nobody has answered here, a rerun follows what was advised in another way, and no start can tell. */
const wasAnswered = ({ history }: Ticket): boolean =>
  history.some(({ kind, after }) => kind === 'status' && after !== 'new' && after !== 'in work')

/** What a ticket is about, or another run of it. */
export function AddRun({
  ticket,
  finish,
  onClose,
}: {
  ticket: Ticket
  finish: (sent: readonly Sent[], side: Side) => Promise<void>
  onClose: () => void
}) {
  const info = useQuery(infoQuery)
  const first = ticket.cases.length === 0
  const [side, setSide] = useState<Side>(first ? 'before' : wasAnswered(ticket) ? null : 'after')
  return (
    <Panel
      title={first ? 'Add a log' : 'Add a run'}
      about={first ? 'What the ticket is about.' : SIDES.find((one) => one.side === side)?.says}
      onClose={onClose}
    >
      {!first && (
        <fieldset className={css.ran}>
          <legend>It ran</legend>
          <span className={segments.segments}>
            {SIDES.map((one) => (
              <label key={one.words}>
                <input
                  type="radio"
                  name="side"
                  checked={one.side === side}
                  onChange={() => setSide(one.side)}
                />
                {one.words}
              </label>
            ))}
          </span>
        </fieldset>
      )}
      <Upload narrow limit={info.data?.upload_limit_bytes ?? null} finish={(sent) => finish(sent, side)} />
    </Panel>
  )
}
