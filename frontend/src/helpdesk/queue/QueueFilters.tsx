import { useQuery } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { GRADES } from '../../analysis/order'
import { count } from '../../format'
import button from '../../ui/Button.module.css'
import { SeverityMark } from '../../ui/Severity'
import { TypedField } from '../../ui/typed/TypedField'
import { colleaguesQuery, type QueueCounts } from '../queries'
import css from './Queue.module.css'
import { FACETS, type QueueSearch, SORTS, STATUS_WORDS, STATUSES, severitiesOf, sortOf } from './search'
import { Views } from './Views'

const AGES = { '24': 'over 1 day', '48': 'over 2 days', '168': 'over a week' }

/** Which entries are listed, and in which order; all of it stands in the address. */
export function QueueFilters({
  search,
  counts,
  me,
  words,
  onChange,
}: {
  search: QueueSearch
  counts: QueueCounts | null
  me: string | null
  words: RefObject<HTMLInputElement | null>
  onChange: (change: QueueSearch) => void
}) {
  const chosen = severitiesOf(search)
  const shown = chosen.length === 0 ? GRADES : chosen
  const toggle = (severity: (typeof GRADES)[number]) => {
    const next = GRADES.filter((one) => shown.includes(one) !== (one === severity))
    onChange({ severity: next.length === GRADES.length ? '' : next.join() })
  }
  return (
    <search className={css.bar} aria-label="Filter the queue">
      <TypedField
        ref={words}
        className={css.words}
        label="Find entries by words of their findings, files, paths, nodes and notes"
        placeholder="job, user, file, words"
        value={search.q ?? ''}
        onRest={(q) => onChange({ q })}
      />
      <fieldset className={css.segments}>
        <legend className="vh">Severity</legend>
        {GRADES.map((severity) => (
          <label key={severity}>
            <input type="checkbox" checked={shown.includes(severity)} onChange={() => toggle(severity)} />
            <SeverityMark mark={severity} />
            {severity} <small>{counts && count(counts.by_severity[severity] ?? 0)}</small>
          </label>
        ))}
      </fieldset>
      <OwnerFilter owner={search.owner ?? ''} me={me} onChange={onChange} />
      <select
        className={button.select}
        aria-label="Status"
        value={search.status ?? 'open'}
        onChange={({ target }) => onChange({ status: target.value === 'open' ? '' : target.value })}
      >
        <option value="open">open</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {STATUS_WORDS[status]}
          </option>
        ))}
        <option value="all">any status</option>
      </select>
      <select
        className={button.select}
        aria-label="Age"
        value={search.older ?? ''}
        onChange={({ target }) => onChange({ older: target.value })}
      >
        <option value="">any age</option>
        {Object.entries(AGES).map(([hours, name]) => (
          <option key={hours} value={hours}>
            {name}
          </option>
        ))}
      </select>
      <select
        className={button.select}
        aria-label="Order"
        value={sortOf(search)}
        onChange={({ target }) => onChange({ sort: target.value === 'urgency' ? '' : target.value })}
      >
        {Object.entries(SORTS).map(([sort, name]) => (
          <option key={sort} value={sort}>
            {name}
          </option>
        ))}
      </select>
      <Views search={search} me={me} onChange={onChange} />
      {FACETS.map((facet) =>
        search[facet] === undefined ? null : (
          <button
            key={facet}
            type="button"
            className={css.facet}
            onClick={() => onChange({ [facet]: '' })}
            aria-label={`No longer only ${facet} ${search[facet]}`}
          >
            {facet} {search[facet]} <span aria-hidden="true">×</span>
          </button>
        ),
      )}
    </search>
  )
}

/** Whose entries are listed: anybody's, nobody's, one's own or a colleague's. */
function OwnerFilter({
  owner,
  me,
  onChange,
}: {
  owner: string
  me: string | null
  onChange: (change: QueueSearch) => void
}) {
  const people = useQuery(colleaguesQuery).data ?? []
  const others = people.filter(({ id }) => id !== me)
  const known = ['', 'nobody', me, ...others.map(({ id }) => id)]
  return (
    <select
      className={button.select}
      aria-label="Owner"
      value={owner}
      onChange={({ target }) => onChange({ owner: target.value })}
    >
      <option value="">any owner</option>
      <option value="nobody">nobody</option>
      {me !== null && <option value={me}>me</option>}
      {others.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {!known.includes(owner) && <option value={owner}>{owner}</option>}
    </select>
  )
}
