import { useMatch, useRouter } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Whether the page that was asked for last is still this one, or a view of it. What navigates late (after an answer, a
 * timer, a drawing that says where it was moved to) asks first: it would take back the page that was asked for since,
 * also while that is only being fetched. */
export function useStillOnPage(): () => boolean {
  const router = useRouter()
  // That of an index route ends with a slash: nothing lies below it.
  const here = useMatch({
    strict: false,
    select: ({ pathname, routeId }) => pathname.replace(/\/$/, '') + (`${routeId}`.endsWith('/') ? '/' : ''),
  })
  return useCallback(() => {
    const { pathname } = router.latestLocation
    return pathname === here || `${pathname}/` === here || pathname.startsWith(`${here}/`)
  }, [router, here])
}
