import { useGuest } from '../../access/queries'
import { EXPORTED_CASE } from '../../api/embedded'
import { KeptSite, useKeptSite } from '../../findings/thresholds/KeptSite'
import { ThresholdPanel } from '../../findings/thresholds/ThresholdPanel'
import { type CaseState, useCaseState } from './CaseState'

const titleOf = ({ id, all }: CaseState['site']) => all.find((one) => one.id === id)?.title ?? id

/** The numbers that decide this case, and the choice of the site that they come from, which the server keeps with the case. */
export default function CaseThresholds() {
  const { view, focused, site, chooseThresholds } = useCaseState()
  const kept = useKeptSite(view)
  const guest = useGuest()
  const chooseSite = (id: string) => {
    site.choose(id)
    // A sample is everybody's, and a site that the evidence decided on needs no keeping.
    const decided = view.site === null && id === view.document?.site.id
    if (!view.sample && !decided && !guest && EXPORTED_CASE === null) kept.mutate(id)
  }
  return (
    <ThresholdPanel
      finding={focused}
      sites={site.all}
      site={site.id}
      onSite={chooseSite}
      onUse={chooseThresholds}
      siteNote={site.note}
      siteKept={
        site.all.length > 1 && (
          <KeptSite
            view={view}
            site={site.id}
            title={titleOf(site)}
            keep={kept}
            onBack={() => site.choose(view.document?.site.id ?? site.id)}
          />
        )
      }
    />
  )
}
