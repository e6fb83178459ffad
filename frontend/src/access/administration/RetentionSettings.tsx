import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, client } from '../../api/client'
import { plural } from '../../format'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import css from './Administration.module.css'
import { type RetentionPeriod, type ServerChoices, serverChoicesQuery } from './queries'

const KINDS: Readonly<Record<RetentionPeriod['kind'], { title: string; says: string }>> = {
  cases: {
    title: 'Cases',
    says: 'after they were made, with all that belongs to them; those of open tickets stay',
  },
  sources: { title: 'Sources alone', says: 'after the last case of them; the case keeps its document' },
  shares: { title: 'Share links', says: 'the record of each, after it has ended' },
  audit: { title: 'The audit log', says: 'who did what; 30 days at least' },
}

const inDays = (days: number | null) => (days === null ? 'for ever' : plural(days, 'day'))

/** How long each kind is kept. */
export function RetentionSettings() {
  const choices = useQuery(serverChoicesQuery)
  return (
    <section aria-labelledby="keeping">
      <h2 id="keeping">How long things are kept</h2>
      {choices.error && <QueryProblem query={choices} what="How long things are kept" />}
      <ul className={css.rows}>
        {choices.data?.kept.map((kept) => (
          <li key={kept.kind}>
            <OneKind key={String(kept.days)} kept={kept} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function OneKind({ kept }: { kept: RetentionPeriod }) {
  const queries = useQueryClient()
  const [days, setDays] = useState(kept.days === null ? '' : String(kept.days))
  const { title, says } = KINDS[kept.kind]
  const params = { path: { kind: kept.kind } }
  const change = useMutation({
    mutationFn: (to: number | null | 'environment'): Promise<ServerChoices> =>
      to === 'environment'
        ? answered(client.DELETE('/api/v1/keeping/{kind}/days', { params }))
        : answered(client.PUT('/api/v1/keeping/{kind}/days', { params, body: { days: to } })),
    onSuccess: (now) => queries.setQueryData(serverChoicesQuery.queryKey, now),
  })
  return (
    <>
      <span>
        <b>{title}</b>: {inDays(kept.days)} <small>{says}</small>
      </span>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(days === '' ? null : Number(days))
        }}
      >
        <label className={css.days}>
          <span className="vh">{title}, days</span>
          <input
            className={button.field}
            placeholder="for ever"
            type="number"
            min={kept.kind === 'audit' ? 30 : 1}
            max={36600}
            required={kept.kind === 'audit'}
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
          <span aria-hidden="true">days</span>
        </label>
        <button type="submit" className={button.button} disabled={change.isPending}>
          Keep for this long
        </button>
        {kept.days !== kept.otherwise && (
          <button type="button" className={button.bare} onClick={() => change.mutate('environment')}>
            As the server was set up: {inDays(kept.otherwise)}
          </button>
        )}
      </form>
      {change.error && (
        <Notice failed title="Nothing was changed">
          {change.error.message}
        </Notice>
      )}
    </>
  )
}
