import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { caseQuery, infoQuery, siteQuery } from '../api/queries'
import type { CaseView, Site, StoredDocument } from '../api/types'
import { asSentence } from '../format'
import { useStillOnPage } from '../ui/useStillOnPage'
import type { CaseState } from './case/CaseState'

const route = getRouteApi('/cases/$caseId')

interface ChosenSite {
  /** The case made again for the site; until that has come, as it is stored. */
  readonly served: StoredDocument
  /** Of another site, what holds at once: its advice comes with the document that the server makes again. */
  readonly overrides: Site['thresholds'] | null
  readonly site: CaseState['site']
}

/** The site that a case is decided for: its own, or the one that its address names. */
export function useChosenSite(view: CaseView, stored: StoredDocument): ChosenSite {
  const named = route.useSearch({ select: ({ site }) => site })
  const navigate = useNavigate()
  const stillHere = useStillOnPage()
  const sites = useQuery(infoQuery).data?.sites
  const unknown = sites && !sites.some(({ id }) => id === named) ? named : undefined
  const id = (unknown === undefined && named) || stored.site.id
  const other = id !== stored.site.id
  const again = useQuery({ ...caseQuery(view.id, id), enabled: other })
  const profile = useQuery({ ...siteQuery(id), enabled: other })
  const fresh = other ? again.data?.document : stored
  const served = fresh ?? stored
  const about = other ? chosenNote(stored, served, again.isFetching) : ownNote(stored)
  return {
    served,
    overrides: fresh ? null : (profile.data?.thresholds ?? null),
    site: {
      id,
      all: sites ?? [{ id: stored.site.id, title: stored.site.title }],
      choose: (next) =>
        stillHere() &&
        navigate({
          to: '.',
          search: ({ site: _, ...old }) => (next === stored.site.id ? old : { ...old, site: next }),
          replace: true,
          resetScroll: false,
        }),
      note:
        unknown === undefined
          ? about
          : `The address names the site “${unknown}”, which this server does not have: ${stored.site.title} stands for it. ${about}`,
    },
  }
}

const ownNote = ({ site }: StoredDocument): string =>
  `${asSentence(site.because)} Profile checked ${site.checked}.`

const chosenNote = (stored: StoredDocument, served: StoredDocument, fetching: boolean): string =>
  fetching
    ? `Chosen by you instead of ${stored.site.title}; its advice is being fetched.`
    : `Chosen by you instead of ${stored.site.title}. Profile checked ${served.site.checked}.`
