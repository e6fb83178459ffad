import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { capital, moment, unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { DOT } from '../../ui/Dotted'
import { Notice } from '../../ui/Notice'
import { RuleLink } from '../../ui/RuleLink'
import type { Outcome, Ticket } from '../queries'
import css from './Ticket.module.css'
import { decideOutcome } from './ticketRequests'

const VERDICTS: readonly Outcome['verdict'][] = ['helped', 'did not help', 'unclear']
const SAYS: Readonly<Record<Outcome['verdict'], string>> = {
  helped: 'It helped',
  'did not help': 'It did not help',
  unclear: 'Whether it helped is not clear',
}

/** Who says what became of it; nobody yet, of a run after of which no side is known. */
function sourceOf({ decided_by, reason, after_case }: Outcome, { cases }: Ticket): string {
  if (decided_by !== null) return `said by ${decided_by}, ${reason ?? ''}, `
  const undated = cases.some(({ id, presumed }) => id === after_case && presumed)
  return undated ? '' : 'by the comparison of the two runs, '
}

/** What became of the advice: by the comparison of the runs, or by a person, for a reason. */
export function OutcomeSection({ ticket, onChanged }: { ticket: Ticket; onChanged: (now: Ticket) => void }) {
  const [deciding, setDeciding] = useState(false)
  const { outcome } = ticket
  const decide = useMutation({
    mutationFn: (form: FormData) =>
      decideOutcome(ticket.id, {
        version: ticket.version,
        verdict: VERDICTS.find((one) => one === form.get('verdict')) ?? 'unclear',
        rules: [...(outcome?.rules ?? [])],
        reason: String(form.get('reason')),
      }),
    onSuccess: (now) => {
      setDeciding(false)
      onChanged(now)
    },
  })
  if (outcome === null) return null
  return (
    <section className={css.outcome} aria-labelledby="outcome">
      <h2 id="outcome">
        {outcome.decided_by === null
          ? unbroken(`${capital(outcome.sentence)}.`)
          : `${SAYS[outcome.verdict]}.`}
      </h2>
      {outcome.decided_by !== null && outcome.factor !== null && (
        <p>The comparison of the runs says: {unbroken(outcome.sentence)}.</p>
      )}
      {outcome.advised && <p className="small muted">Advised: {outcome.advised}</p>}
      <p className="small muted">
        {outcome.rules.map((rule, at) => (
          <span key={rule}>
            {at > 0 && ', '}
            <RuleLink rule={rule}>{rule}</RuleLink>
          </span>
        ))}
        {outcome.rules.length > 0 && DOT}
        {sourceOf(outcome, ticket)}
        {moment(outcome.decided_at)}
      </p>
      {deciding ? (
        <form
          className={css.decide}
          onSubmit={(event) => {
            event.preventDefault()
            decide.mutate(new FormData(event.currentTarget))
          }}
        >
          <select
            className={button.select}
            name="verdict"
            aria-label="What became of it"
            defaultValue={outcome.verdict}
          >
            {VERDICTS.map((verdict) => (
              <option key={verdict} value={verdict}>
                {SAYS[verdict]}
              </option>
            ))}
          </select>
          <input
            className={button.field}
            name="reason"
            required
            maxLength={2000}
            aria-label="Why"
            placeholder="why, for those who read it later"
          />
          <button type="submit" className={button.button} disabled={decide.isPending}>
            Keep
          </button>
          <button type="button" className={button.bare} onClick={() => setDeciding(false)}>
            Cancel
          </button>
        </form>
      ) : (
        <button type="button" className={button.link} onClick={() => setDeciding(true)}>
          Change this
        </button>
      )}
      {decide.error && (
        <Notice failed title="It was not kept">
          {decide.error.message}
        </Notice>
      )}
    </section>
  )
}
