import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useGuest } from '../../access/queries'
import { Share } from '../../access/Share'
import { EXPORTED_CASE, HOLDS_TIMELINE } from '../../api/embedded'
import { useCase } from '../../findings/CaseContext'
import { Steady } from '../../ui/steady/Steady'
import { Export } from './Export'
import css from './Tabs.module.css'

/** Where everything of a case is; what a person chose in the address goes along. */
const VIEWS = [
  { to: '/cases/$caseId', title: 'Diagnosis', inFile: true },
  { to: '/cases/$caseId/timeline', title: 'Timeline', inFile: true },
  { to: '/cases/$caseId/ranks', title: 'Ranks' },
  { to: '/cases/$caseId/files', title: 'Files' },
  { to: '/cases/$caseId/evidence', title: 'Evidence' },
  { to: '/cases/$caseId/triage', title: 'Triage', forPeople: true },
] as const

/** Which of them is at this path: "timeline"; empty for the diagnosis, which is the case itself. */
export const viewAt = (path: string): string =>
  VIEWS.slice(1)
    .find(({ to }) => path.endsWith(to.slice(to.lastIndexOf('/'))))
    ?.title.toLowerCase() ?? ''

export function Tabs() {
  const { caseId } = useCase()
  const guest = useGuest()
  const bar = useRef<HTMLElement>(null)
  const path = useLocation({ select: ({ pathname }) => pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: which one is current, the address says
  useEffect(() => bringCurrentIntoView(bar.current), [path])
  // An exported page holds what the diagnosis shows, and a timeline where there is one; no server to ask for more.
  if (!HOLDS_TIMELINE) return null
  const shown = VIEWS.filter(
    (view) => !(guest && 'forPeople' in view) && (EXPORTED_CASE === null || 'inFile' in view),
  )
  return (
    <div className={css.bar}>
      <nav ref={bar} className={`more ${css.tabs}`} aria-label="Views of this case">
        <ul>
          {shown.map(({ to, title }) => (
            <li key={to}>
              <Link
                to={to}
                params={{ caseId }}
                preload="intent"
                search={(old) => old}
                activeOptions={{ exact: true, includeSearch: false }}
              >
                <Steady>{title}</Steady>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {EXPORTED_CASE === null && (
        <>
          <Share caseId={caseId} />
          <Export />
        </>
      )}
    </div>
  )
}

/** Sideways alone: the page stays where it is. */
function bringCurrentIntoView(bar: HTMLElement | null) {
  const current = bar?.querySelector('[aria-current]')?.getBoundingClientRect()
  if (!bar || !current) return
  const { left, right } = bar.getBoundingClientRect()
  if (current.right + FADED > right) bar.scrollLeft += current.right + FADED - right
  else if (current.left < left) bar.scrollLeft -= left - current.left
}

/** Pixels at the bar's end that its shadow covers while there is more. */
const FADED = 24
