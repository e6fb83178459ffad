import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, client } from '../../api/client'
import { rulesQuery, sitesQuery } from '../../api/queries'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import css from './Administration.module.css'
import { profilesQuery, serverChoicesQuery } from './queries'
import { StoreThreshold } from './StoreThreshold'

/** A logarithmic line has no 0, which says "however little" all the same: the server takes it. */
const hasZero = ({ scale, minimum }: { readonly scale: string; readonly minimum: number }): boolean =>
  scale === 'log' && minimum > 0

/** A site's own numbers, each with its reason: kept in its profile. */
export function Thresholds() {
  const queries = useQueryClient()
  const sites = useQuery(sitesQuery)
  const rules = useQuery(rulesQuery)
  const choices = useQuery(serverChoicesQuery)
  const own = useQuery(profilesQuery)
  const [chosen, setChosen] = useState<string | null>(null)
  const [threshold, setThreshold] = useState('')
  const [value, setValue] = useState('')
  const site = sites.data?.find((one) => one.id === (chosen ?? choices.data?.site)) ?? sites.data?.[0]
  const known = rules.data?.flatMap((rule) => rule.thresholds) ?? []
  const asked = known.find((one) => one.id === threshold)
  const remove = useMutation({
    mutationFn: (id: string) =>
      answered(
        client.DELETE('/api/v1/sites/{site_id}/thresholds/{threshold_id}', {
          params: { path: { site_id: site?.id ?? '', threshold_id: id } },
        }),
      ),
    onSettled: () => queries.invalidateQueries(),
  })
  return (
    <section aria-labelledby="thresholds">
      <h2 id="thresholds">Thresholds of a site</h2>
      <p className="soft">
        A number of your own stands in the site's profile with its reason, and beside every finding that it
        decides. Cases of the site are judged again.
      </p>
      <StoreThreshold
        site={site?.id}
        chosen={asked && value !== '' ? { threshold, unit: asked.unit, value: Number(value) } : null}
        says="The centre's own number."
        onKept={() => setValue('')}
      >
        <label>
          Site
          <select
            className={button.select}
            value={site?.id ?? ''}
            onChange={({ target }) => setChosen(target.value)}
          >
            {sites.data?.map((one) => (
              <option key={one.id} value={one.id}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Threshold
          <select
            className={button.select}
            required
            value={threshold}
            onChange={({ target }) => {
              setThreshold(target.value)
              setValue('')
            }}
          >
            <option value="">choose one</option>
            {known.map((one) => (
              <option key={one.id} value={one.id}>
                {one.id}
              </option>
            ))}
          </select>
        </label>
        <label>
          Number{asked && `, ${asked.minimum} to ${asked.maximum}${hasZero(asked) ? ', or 0' : ''}`}
          <input
            className={button.field}
            type="number"
            step="any"
            required
            min={asked && hasZero(asked) ? 0 : asked?.minimum}
            max={asked?.maximum}
            placeholder={asked ? String(asked.default) : ''}
            value={value}
            onChange={({ target }) => setValue(target.value)}
          />
        </label>
      </StoreThreshold>
      {remove.error && (
        <Notice failed title="Nothing was changed">
          {remove.error.message}
        </Notice>
      )}
      {site && (
        <ul className={css.rows} aria-label={`Thresholds of ${site.title}`}>
          {site.thresholds.map((one) => (
            <li key={one.threshold}>
              <span>
                {one.threshold} <b>{one.value}</b> <small>{one.why}</small>
              </span>
              <button
                type="button"
                className={button.button}
                aria-label={`Remove ${one.threshold}`}
                disabled={remove.isPending || own.data?.not_kept !== null}
                onClick={() => remove.mutate(one.threshold)}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {site?.thresholds.length === 0 && <p>{site.title} sets none of its own: the rules' hold.</p>}
    </section>
  )
}
