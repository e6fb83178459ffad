import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useMatchRoute } from '@tanstack/react-router'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { Account } from '../access/Account'
import { day } from '../access/LifetimeSelect'
import { LoggedOut } from '../access/LoggedOut'
import { type Me, meQuery } from '../access/queries'
import { SignedOut } from '../access/SignedOut'
import { ApiError } from '../api/client'
import { EXPORTED_CASE, SHARED_UNTIL } from '../api/embedded'
import { infoQuery } from '../api/queries'
import { CentreLink } from '../centre/report/CentreLink'
import { plural } from '../format'
import { QueueLink } from '../helpdesk/queue/QueueLink'
import button from './Button.module.css'
import { QueryProblem } from './QueryProblem'
import css from './Shell.module.css'
import { Steady } from './steady/Steady'
import { toggleTheme, useTheme } from './theme'

/** An exported page has no list of cases: it begins with its one. */
const HOME =
  EXPORTED_CASE === null
    ? ({ to: '/' } as const)
    : ({ to: '/cases/$caseId', params: { caseId: EXPORTED_CASE } } as const)

/** Pixels beyond the open page's name that are seen too: the shade that says there is more lies on those. */
const PAST = 16

/** What stands around every page: the bar, the way past it, the foot. */
export function Shell() {
  const main = useRef<HTMLElement>(null)
  const nav = usePageInSight()
  const inCase = useMatchRoute()({ to: '/cases/$caseId', fuzzy: true }) !== false
  const onSite = useMatchRoute()({ to: '/sites/$siteId' }) !== false
  const { kept, loggedOut } = useKeptOut(inCase)
  return (
    <div className={css.page}>
      <button type="button" className={css.skip} onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header className={css.top}>
        <Link className={css.brand} {...HOME}>
          <svg viewBox="0 0 18 18" aria-hidden="true">
            <path d="M2 3.500h14M2 9h9M2 14.500h4" stroke="currentColor" strokeWidth="3" />
          </svg>
          <span>IOtriage</span>
        </Link>
        {EXPORTED_CASE === null ? (
          <nav ref={nav} className={`${css.nav} more`} aria-label="Main">
            <ul>
              <li>
                <Link to="/" activeOptions={{ exact: true }} aria-current={inCase ? 'true' : undefined}>
                  <Steady>Cases</Steady>
                </Link>
              </li>
              <QueueLink />
              <CentreLink />
              <li>
                <Link to="/compare">
                  <Steady>Compare</Steady>
                </Link>
              </li>
              <li>
                <Link to="/rules" aria-current={onSite ? 'true' : undefined}>
                  <Steady>Rules</Steady>
                </Link>
              </li>
            </ul>
          </nav>
        ) : (
          <span className={css.exported}>
            {SHARED_UNTIL === null
              ? 'a case, exported to a file'
              : `a case without names, shared until ${day(SHARED_UNTIL)}`}
          </span>
        )}
        <div className={css.end}>
          {EXPORTED_CASE === null && <Account />}
          <ThemeButton />
        </div>
      </header>
      <main ref={main} tabIndex={-1}>
        {loggedOut && <LoggedOut me={loggedOut} />}
        {kept ?? <Outlet />}
      </main>
      <Foot />
    </div>
  )
}

/** The names of the pages, where a phone has no room for all: scrolled to where that of the open one is seen. */
function usePageInSight() {
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: which page is open is of the address.
  useLayoutEffect(() => {
    const bar = nav.current
    if (!bar) return
    const show = () => {
      const open = bar.querySelector<HTMLElement>('[aria-current]')
      if (open === null) return
      const { offsetLeft: from, offsetWidth: wide } = open
      if (from < bar.scrollLeft) bar.scrollLeft = from - PAST
      else if (from + wide > bar.scrollLeft + bar.clientWidth)
        bar.scrollLeft = from + wide - bar.clientWidth + PAST
    }
    show()
    if (typeof ResizeObserver === 'undefined') return
    // Who is logged in, and so what there is room for, is known later.
    const observer = new ResizeObserver(show)
    for (const one of [bar, ...bar.children]) observer.observe(one)
    return () => observer.disconnect()
  }, [pathname])
  return nav
}

interface KeptOut {
  /** What stands in the place of a page that this person may not open; null where they may, or nobody knows yet. */
  readonly kept: ReactNode
  /** Who was logged in when the page was opened, and is not any more. */
  readonly loggedOut: Me | null
}

function useKeptOut(inCase: boolean): KeptOut {
  const me = useQuery(meQuery)
  const [was, setWas] = useState(false)
  const isIn = me.data !== undefined && me.data.id !== null
  // Who logs out is told so by the page that asks who they are: nothing is known of them then.
  if (isIn ? !was : was && me.data === undefined) setWas(isIn)
  if (me.error instanceof ApiError && me.error.status === 403) {
    const problem = (
      <div className={css.wrap}>
        <QueryProblem query={me} what="What you may see" />
      </div>
    )
    return { kept: problem, loggedOut: null }
  }
  if (!me.data || isIn || (me.data.guest && inCase)) return { kept: null, loggedOut: null }
  return was ? { kept: null, loggedOut: me.data } : { kept: <SignedOut me={me.data} />, loggedOut: null }
}

function ThemeButton() {
  const theme = useTheme()
  const words = theme === 'dark' ? 'Use the light theme' : 'Use the dark theme'
  return (
    <button type="button" className={button.bare} onClick={toggleTheme} aria-label={words} title={words}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.200" fill="none" stroke="currentColor" strokeWidth="1.500" />
        <path d="M8 1.800a6.200 6.200 0 0 1 0 12.400z" fill="currentColor" />
      </svg>
    </button>
  )
}

function Foot() {
  const { data } = useQuery(infoQuery)
  return (
    <footer className={css.foot}>
      <span>IOtriage {data?.version}</span>
      {data && (
        <span>
          {plural(data.rules, 'rule')}, {plural(data.sites.length, 'site')}
        </span>
      )}
      {EXPORTED_CASE === null && <Link to="/rules">Rules and their sources</Link>}
      <Link to="/glossary">Glossary</Link>
      {EXPORTED_CASE === null && <Link to="/access">Access</Link>}
      {EXPORTED_CASE !== null && <span>This file asks no server for anything</span>}
    </footer>
  )
}
