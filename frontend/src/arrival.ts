import type { AnyRouter, RouterHistory } from '@tanstack/react-router'
import { EXPORTED_CASE } from './api/embedded'

/** Where a page of this address was left, for when it is loaded again. */
const LEFT_AT = 'iotriage.left-at'

/** A page that grows no more for so long is all there. */
const QUIET_MS = 1500
/** Nobody is taken anywhere after so long. */
const PATIENCE_MS = 20_000
/** What a person does who goes somewhere by themselves. Not every browser says so when its scrollbar is pressed, nor when it
 * finds words or an assistant scrolls: those are known by the page's moving in steps, where a program's jump is one. */
const OWN_WAY = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const
const STEPS = 2

type Place = { readonly anchor: string } | { readonly top: number }

/** Pages come bit by bit: the place in them that an address names, or at which one was left that is loaded again, is not there
 * yet when the browser and the router look for it. It is gone to as soon as it is, and again while what stands above it
 * grows, until the person goes elsewhere. */
export function arriveAt(router: AnyRouter): void {
  let follow = nothing
  const goTo = (place: Place | null) => {
    follow()
    follow = place === null ? nothing : following(place)
  }
  goTo(leftAt() ?? anchorIn(globalThis.location.hash))
  let goesBack = false
  const history: RouterHistory = router.history
  history.subscribe(({ action: { type } }) => {
    goesBack = type !== 'PUSH' && type !== 'REPLACE'
  })
  router.subscribe('onResolved', ({ pathChanged, fromLocation, toLocation }) => {
    // The first is this page's own loading; to what is on the page already the router goes, and to where somebody was who
    // goes back.
    if (fromLocation !== undefined && pathChanged) goTo(goesBack ? null : anchorIn(toLocation.hash))
  })
  addEventListener('pagehide', () => {
    try {
      sessionStorage.setItem(LEFT_AT, JSON.stringify({ address: globalThis.location.href, top: scrollY }))
    } catch {
      // A browser may be told to keep nothing.
    }
  })
}

const nothing = () => {}

/** An exported page has its addresses there. */
function anchorIn(hash: string): Place | null {
  const anchor = hash.replace(/^#/, '')
  return anchor === '' || EXPORTED_CASE !== null ? null : { anchor }
}

function leftAt(): Place | null {
  try {
    const left: unknown = JSON.parse(sessionStorage.getItem(LEFT_AT) ?? 'null')
    sessionStorage.removeItem(LEFT_AT)
    if (typeof left !== 'object' || left === null || !('address' in left) || !('top' in left)) return null
    const { address, top } = left
    return address === globalThis.location.href && typeof top === 'number' && top > 0 ? { top } : null
  } catch {
    return null
  }
}

/** Goes there now and whenever the page grows; what ends that. */
function following(place: Place): () => void {
  let quiet: ReturnType<typeof setTimeout> | undefined
  let at = scrollY
  let steps = 0
  const grown = new ResizeObserver(() => {
    const there = goneTo(place)
    at = scrollY
    steps = 0
    if (!there) return
    clearTimeout(quiet)
    quiet = setTimeout(end, QUIET_MS)
  })
  const moved = () => {
    if (Math.abs(scrollY - at) < 1) return
    at = scrollY
    steps += 1
    if (steps >= STEPS) end()
  }
  const end = () => {
    grown.disconnect()
    clearTimeout(quiet)
    clearTimeout(late)
    removeEventListener('scroll', moved)
    for (const way of OWN_WAY) removeEventListener(way, end, true)
  }
  const late = setTimeout(end, PATIENCE_MS)
  for (const way of OWN_WAY) addEventListener(way, end, { capture: true, passive: true })
  addEventListener('scroll', moved, { passive: true })
  grown.observe(document.body)
  return end
}

/** Whether there is such a place by now. */
function goneTo(place: Place): boolean {
  if ('anchor' in place) {
    const there = document.getElementById(place.anchor)
    there?.scrollIntoView()
    return there !== null
  }
  scrollTo(0, place.top)
  return Math.abs(scrollY - place.top) < 1
}
