import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { withOpen } from '../analysis/search'
import { useStillOnPage } from '../ui/useStillOnPage'

const route = getRouteApi('/cases/$caseId')

/** Which findings are open. The address names the one opened last; the others are this page's own. */
export function useOpenFindings(
  byDefault: readonly string[],
  /** The fold that a finding stands in, which must be open to show it. */
  around: (name: string) => string | null,
) {
  const { open } = route.useSearch()
  const navigate = useNavigate()
  const stillHere = useStillOnPage()
  const [names, setNames] = useState<ReadonlySet<string>>(
    () => new Set(open === undefined ? byDefault : [...withFold(open, around), ...byDefault.slice(1)]),
  )

  useEffect(() => {
    if (open === undefined || open === 'none') return
    const wanted = withFold(open, around)
    setNames((old) => (wanted.every((name) => old.has(name)) ? old : new Set([...old, ...wanted])))
  }, [open, around])

  const isOpen = useCallback((name: string) => names.has(name), [names])
  const toggle = useCallback(
    (name: string) => {
      const opening = !names.has(name)
      setNames((old) => {
        const next = new Set(old)
        if (opening) next.add(name)
        else next.delete(name)
        return next
      })
      if (!opening && open !== name && open !== undefined) return
      if (!stillHere()) return
      navigate({
        to: '.',
        search: (old) => withOpen(old, opening ? name : 'none'),
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      })
    },
    [names, open, navigate, stillHere],
  )
  return { isOpen, toggle, last: open === undefined || open === 'none' ? null : open }
}

function withFold(name: string, around: (name: string) => string | null): string[] {
  const fold = around(name)
  return fold === null ? [name] : [fold, name]
}
