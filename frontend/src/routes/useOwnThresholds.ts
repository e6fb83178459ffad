import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Thresholds } from '../analysis/evaluate'
import { useStillOnPage } from '../ui/useStillOnPage'

const route = getRouteApi('/cases/$caseId')
const NONE: Thresholds = {}
/** Browsers allow about a hundred changes of the address in half a minute: a slider makes more. */
const SETTLE_MS = 250

/** The person's own thresholds: in force at once, in the address as soon as the slider rests. */
export function useOwnThresholds() {
  const { set } = route.useSearch()
  const navigate = useNavigate()
  const stillHere = useStillOnPage()
  const [own, setOwn] = useState<Thresholds>(set ?? NONE)
  const written = useRef(JSON.stringify(set ?? NONE))

  // The address changed by itself: back, forward, or edited by hand.
  useEffect(() => {
    const text = JSON.stringify(set ?? NONE)
    if (text === written.current) return
    written.current = text
    setOwn(set ?? NONE)
  }, [set])

  useEffect(() => {
    const text = JSON.stringify(sorted(own))
    if (text === written.current) return
    const timer = setTimeout(() => {
      written.current = text
      // The view may be another by now: they hold in that too.
      if (!stillHere()) return
      navigate({
        to: '.',
        search: ({ set: _, ...old }) => (Object.keys(own).length === 0 ? old : { ...old, set: sorted(own) }),
        replace: true,
        resetScroll: false,
      })
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [own, navigate, stillHere])

  /** `null` gives the threshold back to the site and the documents. */
  const move = useCallback((id: string, value: number | null) => {
    setOwn(({ [id]: _, ...rest }) => (value === null ? rest : { ...rest, [id]: value }))
  }, [])
  return { own, move, use: setOwn }
}

const sorted = (own: Thresholds): Record<string, number> =>
  Object.fromEntries(Object.entries(own).sort(([a], [b]) => (a < b ? -1 : 1)))
