import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { answered, client } from '../../api/client'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import { type SavedView, viewsQuery } from '../queries'
import css from './Queue.module.css'
import { askedOf, FACETS, type QueueSearch } from './search'

/** Filters that were kept under a name; a shared one is everybody's. The chosen one is that whose filter is looked
 * through: where the filter is changed, or the address brings another, it is none. */
export function Views({
  search,
  me,
  onChange,
}: {
  search: QueueSearch
  me: string | null
  onChange: (change: QueueSearch) => void
}) {
  const views = useQuery(viewsQuery).data ?? []
  const queries = useQueryClient()
  const [naming, setNaming] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const done = () => {
    setNaming(false)
    opener.current?.focus()
    return queries.invalidateQueries({ queryKey: viewsQuery.queryKey })
  }
  const keeping = useMutation({ mutationFn: keep, onSuccess: done })
  const removing = useMutation({ mutationFn: remove, onSuccess: done })
  const failed = keeping.error ?? removing.error
  const asked = JSON.stringify(askedOf(search))
  const chosen = views.find((one) => JSON.stringify(askedOf(searchOf(one))) === asked)
  const use = (id: string) => {
    const view = views.find((one) => String(one.id) === id)
    onChange({ ...NOTHING, ...(view && searchOf(view)) })
  }
  return (
    <div className={css.naming}>
      {views.length > 0 && (
        <select
          className={button.select}
          aria-label="Saved views"
          value={chosen?.id ?? ''}
          onChange={({ target }) => use(target.value)}
        >
          <option value="">saved views</option>
          {views.map((view) => (
            <option key={view.id} value={view.id}>
              {view.owner === me ? view.name : `${view.name} (of ${view.owner})`}
            </option>
          ))}
        </select>
      )}
      {chosen !== undefined && chosen.owner === me ? (
        <button type="button" className={button.bare} onClick={() => removing.mutate(chosen.id)}>
          Delete view
        </button>
      ) : null}
      <button
        ref={opener}
        type="button"
        className={button.bare}
        aria-expanded={naming}
        onClick={() => setNaming(!naming)}
      >
        Save view
      </button>
      {naming && (
        <Naming
          onKeep={(name, shared) => keeping.mutate({ name, shared, search })}
          onCancel={() => {
            setNaming(false)
            opener.current?.focus()
          }}
        />
      )}
      {failed && (
        <Notice failed title={keeping.error ? 'The view was not kept' : 'The view was not deleted'}>
          {failed.message}
        </Notice>
      )}
    </div>
  )
}

/** Of the module, so that it is called when the field comes, and not whenever it is drawn again. */
const focus = (field: HTMLInputElement | null) => field?.focus()

function Naming({
  onKeep,
  onCancel,
}: {
  onKeep: (name: string, shared: boolean) => void
  onCancel: () => void
}) {
  return (
    <form
      className={css.naming}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        onKeep(String(form.get('name')), form.get('shared') !== null)
      }}
    >
      <input
        ref={focus}
        className={button.field}
        name="name"
        required
        maxLength={100}
        placeholder="its name"
        aria-label="Name of the view"
      />
      <label>
        <input type="checkbox" name="shared" /> for everybody
      </label>
      <button type="submit" className={button.button}>
        Keep
      </button>
      <button type="button" className={button.bare} onClick={onCancel}>
        Cancel
      </button>
    </form>
  )
}

/** Takes the place of one's own view of that name. */
function keep({ name, shared, search }: { name: string; shared: boolean; search: QueueSearch }) {
  const { sort, ...asked } = askedOf(search)
  return answered(
    client.POST('/api/v1/queue/views', {
      body: { name, shared, sort: sort ?? 'urgency', filter: filterOf(asked) },
    }),
  )
}

const remove = (id: number) =>
  answered(client.DELETE('/api/v1/queue/views/{view_id}', { params: { path: { view_id: id } } }))

const NOTHING: QueueSearch = Object.fromEntries(
  ['q', 'severity', 'status', 'owner', ...FACETS, 'older', 'sort'].map((key) => [key, '']),
)

type Filter = SavedView['filter']

const filterOf = (asked: Omit<ReturnType<typeof askedOf>, 'sort'>): Filter => ({
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

function searchOf({ filter, sort }: SavedView): QueueSearch {
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
