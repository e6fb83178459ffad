import { type ReactNode, useDeferredValue, useState } from 'react'
import type { Finding } from '../../analysis/caseDocument'
import type { Setting } from '../../analysis/thresholds'
import { plural } from '../../format'
import button from '../../ui/Button.module.css'
import { useCase } from '../CaseContext'
import css from '../Rail.module.css'
import { OwnThresholds } from './OwnThresholds'
import { type SiteChoice, SiteSelect } from './SiteSelect'
import { ThresholdFields } from './ThresholdFields'
import { thresholdsOf } from './thresholdsOf'

/** The thresholds that a person may change, those of the open finding first, and the site that they come from. */
export function ThresholdPanel({
  finding,
  sites,
  site,
  onSite,
  onUse,
  siteNote,
  siteKept,
}: {
  finding: Finding | null
  sites: readonly SiteChoice[]
  site: string
  onSite: (id: string) => void
  onUse: (own: Readonly<Record<string, number>>) => void
  siteNote: string
  siteKept: ReactNode
}) {
  const { settings } = useCase()
  const own = finding ? thresholdsOf(finding).flatMap((id) => settings.get(id) ?? []) : []
  return (
    <section className={css.thresholds} aria-labelledby="thresholds">
      <h2 id="thresholds">
        Thresholds{' '}
        <span className={css.name} title={finding?.rule}>
          {finding?.rule}
        </span>
      </h2>
      <div className={css.site}>
        {sites.length > 1 && (
          <>
            <label className="vh" htmlFor="site">
              Site whose thresholds hold
            </label>
            <SiteSelect id="site" sites={sites} site={site} onSite={onSite} />
            <p className="vh" id="site-keys">
              With the arrow keys, Enter makes the choice.
            </p>
          </>
        )}
        <p className={css.note}>{siteNote}</p>
        {siteKept}
      </div>
      <div className={css.own}>
        <ThresholdFields settings={own} />
      </div>
      <AllThresholds
        settings={[...settings.values()].filter((s) => !own.includes(s))}
        some={own.length > 0}
      />
      {/* What it says grows as a slider is moved: above them it would move the slider under the pointer. */}
      <OwnThresholds settings={[...settings.values()]} site={site} onUse={onUse} />
    </section>
  )
}

function AllThresholds({ settings, some }: { settings: readonly Setting[]; some: boolean }) {
  const [filter, setFilter] = useState('')
  const [open, setOpen] = useState(false)
  // Letters are shown before the list follows them.
  const wanted = useDeferredValue(filter).toLowerCase()
  const found = settings.filter(({ threshold }) =>
    `${threshold.title} ${threshold.id} ${threshold.rule}`.toLowerCase().includes(wanted),
  )
  if (settings.length === 0) return null
  return (
    <details className={css.all} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {some ? 'The other' : 'All'} {plural(settings.length, 'threshold')}
      </summary>
      {open && (
        <>
          <input
            type="search"
            className={button.field}
            placeholder="name or rule"
            aria-label="Filter thresholds"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
          {found.length === 0 && <p className={css.note}>No threshold has “{filter}” in its name.</p>}
          <ThresholdFields settings={found} />
        </>
      )}
    </details>
  )
}
