import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { sameThresholds } from '../analysis/thresholds'
import { infoQuery } from '../api/queries'
import type { Comparison } from '../api/types'
import { useStoredThresholds } from '../findings/thresholds/storedThresholds'
import { exactly, plural } from '../format'
import button from '../ui/Button.module.css'
import css from './DecidedByOwn.module.css'
import type { CompareSearch } from './search'

/** By whose numbers the runs are decided where they are not the documents', and how to go back; or how to use one's own. */
export function DecidedByOwn({ comparison, search }: { comparison: Comparison; search: CompareSearch }) {
  const sites = useQuery(infoQuery).data?.sites
  const stored = useStoredThresholds()
  const known = Object.fromEntries(comparison.threshold_ids.flatMap((id) => pairOf(stored, id)))
  const count = Object.keys(known).length
  const inForce = sameThresholds(search.set ?? {}, known)
  const { site } = search
  const { set: _, ...unmoved } = search
  const { site: __, ...ownSites } = search
  const moved = comparison.moved
  if (moved.length === 0 && site === undefined && (count === 0 || inForce)) return null
  return (
    <section className={css.own} aria-label="By whose numbers">
      {site !== undefined && (
        <p>
          Decided for {sites?.find((s) => s.id === site)?.title ?? site} instead of the runs' own sites.{' '}
          <Again to={ownSites}>Back to their own</Again>
        </p>
      )}
      {moved.length > 0 && (
        <>
          <p>
            Decided by your own numbers, not by the documents': {plural(moved.length, 'threshold')} moved.
          </p>
          <ul>
            {moved.map((t) => (
              <li key={`${t.id} ${t.moved_from}`}>
                {t.title}: {t.moved_from !== null && exactly(t.moved_from, t.unit)} →{' '}
                <b>{exactly(t.value, t.unit)}</b>
              </li>
            ))}
          </ul>
        </>
      )}
      {(search.set !== undefined || (count > 0 && !inForce)) && (
        <p className={css.choices}>
          {search.set !== undefined && <Again to={unmoved}>Back to the documents' values</Again>}
          {count > 0 && !inForce && (
            <Again to={{ ...search, set: known }}>Use my {plural(count, 'number')}</Again>
          )}
          {count > 0 && inForce && <span>These are the numbers you keep in this browser.</span>}
        </p>
      )}
    </section>
  )
}

const pairOf = (stored: Readonly<Record<string, number>>, id: string): (readonly [string, number])[] => {
  const number = stored[id]
  return number === undefined ? [] : [[id, number]]
}

function Again({ to, children }: { to: CompareSearch; children: ReactNode }) {
  return (
    <Link className={button.link} to="/compare" search={to} replace resetScroll={false} activeProps={{}}>
      {children}
    </Link>
  )
}
