import type { Site } from '../../api/types'
import css from '../Rules.module.css'
import { By } from './By'

/** What runs and starts the site's jobs, and how Darshan is had there: what each is, and its name. */
function names(site: Site): readonly (readonly [string, string])[] {
  const known: readonly (readonly [string, string | null])[] = [
    ['jobs are run by', site.scheduler],
    ['programs are started with', site.launcher],
    ['ranks of a node by', site.ranks_per_node_option],
    ['module of Darshan', site.darshan_module],
    ['library of Darshan', site.darshan_library],
  ]
  return known.flatMap(([what, name]) => (name === null ? [] : [[what, name] as const]))
}

export function HowJobsRun({ site }: { site: Site }) {
  const known = names(site)
  if (known.length === 0) return null
  return (
    <section aria-label="How jobs run">
      <h2>How jobs run</h2>
      <ul className={css.bullets}>
        {known.map(([what, name]) => (
          <li key={what}>
            {what} <code>{name}</code>
          </li>
        ))}
      </ul>
      <p>{site.running_jobs === null ? 'Ours: no document says so.' : <By source={site.running_jobs} />}</p>
    </section>
  )
}
