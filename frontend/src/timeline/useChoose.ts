import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { searchWith } from '../analysis/search'
import { useStillOnPage } from '../ui/useStillOnPage'
import type { TimelineSearch } from './search'

/** Puts what a person chooses into the address. */
export function useChoose() {
  const navigate = useNavigate({ from: '/cases/$caseId/timeline' })
  const stillHere = useStillOnPage()
  return useCallback(
    (next: { [K in keyof TimelineSearch]?: TimelineSearch[K] | undefined }) => {
      if (!stillHere()) return
      navigate({
        search: (old) => searchWith(old, next),
        replace: true,
        resetScroll: false,
      })
    },
    [navigate, stillHere],
  )
}
