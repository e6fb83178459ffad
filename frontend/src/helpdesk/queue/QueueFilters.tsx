import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useState } from 'react'
import { answered, client } from '../../api/client'
import { count } from '../../format'
import button from '../../ui/Button.module.css'
import { SeverityMark } from '../../ui/Severity'
import { TYPED_MS, useDebounced } from '../../ui/useDebounced'
import { type QueueCounts, type SavedView, viewsQuery } from '../queries'
import css from './Queue.module.css'
import {
  askedOf,
  FACETS,
  type QueueSearch,
  SEVERITIES,
  SORTS,
  STATUS_WORDS,
  STATUSES,
  severitiesOf,
  sortOf,
} from './search'

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
  const shown = chosen.length === 0 ? SEVERITIES : chosen
  const toggle = (severity: (typeof SEVERITIES)[number]) => {
    const next = SEVERITIES.filter((one) => shown.includes(one) !== (one === severity))
    onChange({ severity: next.length === SEVERITIES.length ? '' : next.join() })
  }
  return (
    <search className={css.bar} aria-label="Filter the queue">
      <Words search={search} words={words} onChange={onChange} />
      <fieldset className={css.segments}>
        <legend className="vh">Severity</legend>
        {SEVERITIES.map((severity) => (
          <label key={severity}>
            <input type="checkbox" checked={shown.includes(severity)} onChange={() => toggle(severity)} />
            <SeverityMark mark={severity} />
            {severity} <small>{counts && count(counts.by_severity[severity] ?? 0)}</small>
          </label>
        ))}
      </fieldset>
      <select
        className={button.select}
        aria-label="Owner"
        value={search.owner ?? ''}
        onChange={({ target }) => onChange({ owner: target.value })}
      >
        <option value="">any owner</option>
        <option value="nobody">nobody</option>
        {me !== null && <option value={me}>me</option>}
        {search.owner && search.owner !== 'nobody' && search.owner !== me && (
          <option value={search.owner}>{search.owner}</option>
        )}
      </select>
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
      <Views search={search} onChange={onChange} />
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

/** The server is asked when a person stops typing. */
function Words({
  search: { q = '' },
  words,
  onChange,
}: {
  search: QueueSearch
  words: RefObject<HTMLInputElement | null>
  onChange: (change: QueueSearch) => void
}) {
  const [typed, setTyped] = useState(q)
  const [last, setLast] = useState(q)
  // A view that is used, or the way back, brings words of its own.
  if (q !== last) {
    setLast(q)
    setTyped(q)
  }
  const rested = useDebounced(typed, TYPED_MS)
  useEffect(() => {
    if (rested === typed && typed !== q) onChange({ q: typed })
  }, [rested, typed, q, onChange])
  return (
    <input
      ref={words}
      type="search"
      className={`${button.field} ${css.words}`}
      placeholder="job, user, file, words"
      aria-label="Find entries by words of their findings, files, paths, nodes and notes"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}

/** Filters that were kept under a name; a shared one is everybody's. */
function Views({ search, onChange }: { search: QueueSearch; onChange: (change: QueueSearch) => void }) {
  const views = useQuery(viewsQuery)
  const queries = useQueryClient()
  const [naming, setNaming] = useState(false)
  const [chosen, setChosen] = useState('')
  const keep = async (name: string, shared: boolean) => {
    const { sort, ...asked } = askedOf(search)
    await answered(
      client.POST('/api/v1/queue/views', {
        body: { name, shared, sort: sort ?? 'urgency', filter: filterOf(asked) },
      }),
    )
    await queries.invalidateQueries({ queryKey: viewsQuery.queryKey })
    setNaming(false)
  }
  const remove = async (id: number) => {
    await answered(client.DELETE('/api/v1/queue/views/{view_id}', { params: { path: { view_id: id } } }))
    setChosen('')
    await queries.invalidateQueries({ queryKey: viewsQuery.queryKey })
  }
  const use = (id: string) => {
    setChosen(id)
    const view = views.data?.find((one) => String(one.id) === id)
    if (view) onChange({ ...NOTHING, ...searchOf(view.filter, view.sort) })
  }
  if (naming) {
    return (
      <form
        className={css.naming}
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          void keep(String(form.get('name')), form.get('shared') !== null)
        }}
      >
        <input className={button.field} name="name" required maxLength={100} aria-label="Name of the view" />
        <label>
          <input type="checkbox" name="shared" /> for all
        </label>
        <button type="submit" className={button.button}>
          Keep
        </button>
        <button type="button" className={button.bare} onClick={() => setNaming(false)}>
          Cancel
        </button>
      </form>
    )
  }
  return (
    <span className={css.naming}>
      {(views.data?.length ?? 0) > 0 && (
        <select
          className={button.select}
          aria-label="Saved views"
          value={chosen}
          onChange={({ target }) => use(target.value)}
        >
          <option value="">saved views</option>
          {views.data?.map((view) => (
            <option key={view.id} value={view.id}>
              {view.name}
            </option>
          ))}
        </select>
      )}
      {chosen !== '' && (
        <button type="button" className={button.bare} onClick={() => remove(Number(chosen))}>
          Delete view
        </button>
      )}
      <button type="button" className={button.bare} onClick={() => setNaming(true)}>
        Save view
      </button>
    </span>
  )
}

const NOTHING: QueueSearch = Object.fromEntries(
  ['q', 'severity', 'status', 'owner', ...FACETS, 'older', 'sort'].map((key) => [key, '']),
)

type Asked = Omit<ReturnType<typeof askedOf>, 'sort'>
type Filter = SavedView['filter']

const filterOf = (asked: Asked): Filter => ({
  status: asked.status ?? [],
  severity: asked.severity ?? [],
  owner: asked.owner ?? null,
  unowned: asked.unowned ?? false,
  system: asked.system ?? null,
  user: asked.user ?? null,
  project: asked.project ?? null,
  application: asked.application ?? null,
  rule: asked.rule ?? null,
  job: asked.job ?? null,
  older_than_h: asked.older_than_h ?? null,
  words: asked.words ?? '',
})

function searchOf(filter: Filter, sort: string): QueueSearch {
  const [status] = filter.status
  const facets = Object.fromEntries(
    FACETS.flatMap((key) => (filter[key] === null ? [] : [[key, filter[key]]])),
  )
  return {
    ...facets,
    ...(filter.words !== '' && { q: filter.words }),
    ...(filter.severity.length > 0 && { severity: filter.severity.join() }),
    ...(filter.status.length === 0
      ? { status: 'all' }
      : filter.status.length === 1 && { status: status ?? '' }),
    ...(filter.unowned ? { owner: 'nobody' } : filter.owner !== null && { owner: filter.owner }),
    ...(filter.older_than_h !== null && { older: String(filter.older_than_h) }),
    ...(sort !== 'urgency' && { sort }),
  }
}
