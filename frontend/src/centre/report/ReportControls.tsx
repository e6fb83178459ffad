import { Link, useNavigate } from '@tanstack/react-router'
import { useId } from 'react'
import { BASE } from '../../api/client'
import button from '../../ui/Button.module.css'
import segments from '../../ui/Segments.module.css'
import css from './Report.module.css'
import { FILTERS, type Filter, type ReportSearch, stepped } from './search'
import type { Report } from './types'

const PERIODS = [undefined, 'week', 'month'] as const
const NAMES: Readonly<Record<Filter, string>> = {
  file_system: 'file system',
  project: 'project',
  user: 'user',
  application: 'application',
}
const FORMS = { html: 'HTML', csv: 'CSV', mail: 'Mail', json: 'JSON' } as const

interface Chosen {
  readonly day: string
  readonly search: ReportSearch
}

/** Which day, week or month; and the report to take away. */
export function WhichDay({ day, search, days }: Chosen & { days: readonly string[] }) {
  const navigate = useNavigate()
  const field = useId()
  const to = (other: string) => ({ to: '/centre/$day', params: { day: other }, search }) as const
  const name = search.period ?? 'day'
  return (
    <div className={`${css.which} screen`}>
      <fieldset className={segments.segments}>
        <legend className="vh">Period</legend>
        {PERIODS.map((period) => (
          <label key={period ?? 'day'}>
            <input
              type="radio"
              name="period"
              checked={search.period === period}
              onChange={() => {
                const { period: _, ...rest } = search
                void navigate({
                  to: '/centre/$day',
                  params: { day },
                  search: { ...rest, ...(period && { period }) },
                })
              }}
            />
            {period ?? 'day'}
          </label>
        ))}
      </fieldset>
      <div className={css.together}>
        <Link
          className={button.button}
          aria-label={`The ${name} before`}
          {...to(stepped(day, search.period, -1))}
        >
          ‹
        </Link>
        <label className="vh" htmlFor={field}>
          Day
        </label>
        <input
          id={field}
          className={button.field}
          type="date"
          value={day}
          min={days[0]}
          max={days.at(-1)}
          onChange={({ target }) => target.value && void navigate(to(target.value))}
        />
        <Link
          className={button.button}
          aria-label={`The ${name} after`}
          {...to(stepped(day, search.period, 1))}
        >
          ›
        </Link>
      </div>
      <div className={css.together}>
        <span className="small muted">Download</span>
        {Object.entries(FORMS).map(([form, words]) => (
          <a key={form} className={button.button} href={exported(day, search, form)} download>
            {words}
          </a>
        ))}
        <a
          className={button.button}
          href={exported(day, { ...search, anonymise: 'true' }, 'html')}
          title="HTML in which users, projects, programs, jobs and files have other names"
          download
        >
          Without names
        </a>
      </div>
    </div>
  )
}

/** Where the same report is as a file. */
function exported(day: string, search: ReportSearch & { readonly anonymise?: 'true' }, form: string): string {
  const query = new URLSearchParams(Object.entries(search)).toString()
  return new URL(`api/v1/centre/reports/${day}/${form}${query && `?${query}`}`, BASE).href
}

/** Of whose logs: by file system, project, user, application. */
export function Filters({ day, search, choices }: Chosen & { choices: Report['choices'] }) {
  const navigate = useNavigate()
  const among: Readonly<Record<Filter, readonly string[]>> = {
    file_system: choices.file_systems,
    project: choices.projects,
    user: choices.users,
    application: choices.applications,
  }
  const choose = (filter: Filter, value: string) => {
    const { [filter]: _, ...rest } = search
    void navigate({
      to: '/centre/$day',
      params: { day },
      search: value === '' ? rest : { ...rest, [filter]: value },
    })
  }
  return (
    <div className={css.filters}>
      {FILTERS.map((filter) => {
        const chosen = search[filter]
        const names = [...new Set([...(chosen === undefined ? [] : [chosen]), ...among[filter]])]
        if (names.length === 0) return null
        return (
          <label key={filter}>
            <span>{NAMES[filter]}</span>
            <select
              className={button.select}
              value={chosen ?? ''}
              onChange={({ target }) => choose(filter, target.value)}
            >
              <option value="">all</option>
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )
      })}
    </div>
  )
}
