import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answered, client } from '../../api/client'
import { sitesQuery } from '../../api/queries'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import css from './Administration.module.css'
import { profilesQuery, serverChoicesQuery } from './queries'

const ID = /^id\s*=\s*["']([a-z0-9-]+)["']/m

/** The sites: which is the server's default, and profiles of one's own. */
export function Profiles() {
  const queries = useQueryClient()
  const sites = useQuery(sitesQuery)
  const own = useQuery(profilesQuery)
  const choices = useQuery(serverChoicesQuery)
  const onSettled = () => queries.invalidateQueries()
  const choose = useMutation({
    mutationFn: (site: string) =>
      answered(client.PUT('/api/v1/keeping/site', { body: { site: site === '' ? null : site } })),
    onSettled,
  })
  const keep = useMutation({
    mutationFn: async (file: File) => {
      const toml = await file.text()
      const site = ID.exec(toml)?.[1]
      if (site === undefined) throw new Error(`${file.name} has no line id = "…" with the site's id.`)
      await answered(
        client.PUT('/api/v1/sites/{site_id}/profile', {
          params: { path: { site_id: site } },
          body: { toml },
        }),
      )
    },
    onSettled,
  })
  const drop = useMutation({
    mutationFn: (id: string) =>
      answered(client.DELETE('/api/v1/sites/{site_id}/profile', { params: { path: { site_id: id } } })),
    onSettled,
  })
  const failed = [choose, keep, drop].find((one) => one.error)
  const isOwn = new Set(own.data?.profiles.flatMap((one) => (one.own ? [one.id] : [])))
  const mine = sites.data?.filter((site) => isOwn.has(site.id)) ?? []
  return (
    <section aria-labelledby="sites">
      <h2 id="sites">Sites</h2>
      {sites.error && <QueryProblem query={sites} what="The sites" />}
      <div className={css.form}>
        <label>
          Where the evidence names no site, this one's thresholds hold
          <select
            className={button.select}
            value={choices.data?.site ?? ''}
            disabled={!choices.data || choose.isPending}
            onChange={({ target }) => choose.mutate(target.value)}
          >
            <option value="">none: the rules' own</option>
            {sites.data?.map((site) => (
              <option key={site.id} value={site.id}>
                {site.title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Give a profile (TOML)
          <input
            type="file"
            className={button.field}
            accept=".toml"
            disabled={own.data?.not_kept !== null}
            onChange={({ target }) => {
              const file = target.files?.[0]
              if (file) keep.mutate(file)
              target.value = ''
            }}
          />
        </label>
      </div>
      {own.data?.not_kept && <Notice title="Profiles cannot be changed here">{own.data.not_kept}</Notice>}
      {keep.isSuccess && <p role="status">The profile is kept: cases are judged by it.</p>}
      {failed?.error && (
        <Notice failed title="Nothing was changed">
          {failed.error.message}
        </Notice>
      )}
      <p className="soft">
        {mine.length === 0
          ? 'All profiles are those that come with the program.'
          : 'These are your own; the others come with the program.'}
      </p>
      <ul className={css.rows} aria-label="Profiles of your own">
        {mine.map((site) => (
          <li key={site.id}>
            <span>
              <Link to="/sites/$siteId" params={{ siteId: site.id }}>
                {site.title}
              </Link>{' '}
              <small>
                {site.id}, version {site.version}, checked {site.checked}
              </small>
            </span>
            <button
              type="button"
              className={button.button}
              aria-label={`Remove the profile of ${site.title}`}
              disabled={drop.isPending}
              onClick={() => drop.mutate(site.id)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
