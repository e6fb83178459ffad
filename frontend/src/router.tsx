import type { QueryClient } from '@tanstack/react-query'
import {
  createHashHistory,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  type RouterHistory,
} from '@tanstack/react-router'
import { CASE_KEYS, parseSearch, stringifySearch, validateCaseSearch } from './analysis/search'
import { BASE } from './api/client'
import { EXPORTED_CASE } from './api/embedded'
import { caseQuery, infoQuery } from './api/queries'
import type { Unread } from './api/types'
import { isDay, validateReportSearch } from './centre/report/search'
import { validateCompareSearch } from './comparison/search'
import { validateEvidenceSearch } from './evidence/search'
import { validateFilesSearch } from './files/search'
import { validateQueueSearch } from './helpdesk/queue/search'
import { validateRanksSearch } from './ranks/search'
import { NotFound, PageError } from './routes/NotFound'
import { validateStartSearch } from './routes/start/search'
import { strictSearch } from './routes/strictSearch'
import { validateTimelineSearch } from './timeline/search'
import { Shell } from './ui/Shell'

export const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Shell,
  notFoundComponent: () => <NotFound />,
  errorComponent: PageError,
})

const caseRoute = createRoute({
  getParentRoute: () => root,
  path: '/cases/$caseId',
  // Asked for while the page's script is still on its way; nothing waits for it but the page itself.
  loader: ({ context, params }) => {
    void context.queries.prefetchQuery(caseQuery(params.caseId, null))
    void context.queries.prefetchQuery(infoQuery)
  },
  validateSearch: strictSearch(validateCaseSearch, { keys: CASE_KEYS }),
  component: lazyRouteComponent(() => import('./routes/Case'), 'Case'),
})

/** What can be no name of such a thing has no page: a server would say so in words that are not for people. */
const onlyIf = (might: boolean) => {
  if (!might) throw notFound()
}

/** The views of a case stand under its address; each has the case's search, and its own beside it. */
const caseViews = [
  createRoute({
    getParentRoute: () => caseRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./routes/case/Diagnosis'), 'Diagnosis'),
  }),
  createRoute({
    getParentRoute: () => caseRoute,
    path: '/timeline',
    validateSearch: strictSearch(validateTimelineSearch, { around: validateCaseSearch }),
    component: lazyRouteComponent(() => import('./routes/case/Timeline'), 'Timeline'),
  }),
  createRoute({
    getParentRoute: () => caseRoute,
    path: '/ranks',
    validateSearch: strictSearch(validateRanksSearch, { around: validateCaseSearch }),
    component: lazyRouteComponent(() => import('./routes/case/Ranks'), 'Ranks'),
  }),
  createRoute({
    getParentRoute: () => caseRoute,
    path: '/files',
    validateSearch: strictSearch(validateFilesSearch, { around: validateCaseSearch }),
    component: lazyRouteComponent(() => import('./routes/case/Files'), 'Files'),
  }),
  createRoute({
    getParentRoute: () => caseRoute,
    path: '/triage',
    component: lazyRouteComponent(() => import('./routes/case/Triage'), 'Triage'),
  }),
  createRoute({
    getParentRoute: () => caseRoute,
    path: '/evidence',
    validateSearch: strictSearch(validateEvidenceSearch, { around: validateCaseSearch }),
    component: lazyRouteComponent(() => import('./routes/case/Evidence'), 'Evidence'),
  }),
] as const

export const routes = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    validateSearch: strictSearch(validateStartSearch),
    component: lazyRouteComponent(() => import('./routes/start/Start'), 'Start'),
  }),
  caseRoute.addChildren(caseViews),
  createRoute({
    getParentRoute: () => root,
    path: '/compare',
    validateSearch: strictSearch(validateCompareSearch),
    component: lazyRouteComponent(() => import('./routes/Compare'), 'Compare'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/queue',
    validateSearch: strictSearch(validateQueueSearch),
    component: lazyRouteComponent(() => import('./helpdesk/queue/Queue'), 'Queue'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/tickets/$ticketId',
    beforeLoad: ({ params }) => onlyIf(/^[1-9]\d{0,8}$/.test(params.ticketId)),
    component: lazyRouteComponent(() => import('./helpdesk/ticket/TicketPage'), 'TicketPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/centre',
    component: lazyRouteComponent(() => import('./centre/report/Latest'), 'Latest'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/centre/$day',
    beforeLoad: ({ params }) => onlyIf(isDay(params.day)),
    validateSearch: strictSearch(validateReportSearch),
    component: lazyRouteComponent(() => import('./centre/report/ReportPage'), 'ReportPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/centre/$day/logs/$log',
    beforeLoad: ({ params }) => onlyIf(isDay(params.day)),
    component: lazyRouteComponent(() => import('./centre/report/LogPage'), 'LogPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/rules',
    component: lazyRouteComponent(() => import('./routes/Rules'), 'Rules'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/rules/$ruleId',
    component: lazyRouteComponent(() => import('./routes/Rule'), 'Rule'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/sites/$siteId',
    component: lazyRouteComponent(() => import('./routes/SitePage'), 'SitePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/glossary',
    component: lazyRouteComponent(() => import('./routes/Glossary'), 'Glossary'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/access',
    component: lazyRouteComponent(() => import('./access/AccessPage'), 'AccessPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/administration',
    component: lazyRouteComponent(
      () => import('./access/administration/AdministrationPage'),
      'AdministrationPage',
    ),
  }),
] as const

/** An exported page keeps its addresses behind the #, and begins with its case. */
function exportedHistory(): RouterHistory | undefined {
  if (EXPORTED_CASE === null) return undefined
  const history = createHashHistory()
  if (history.location.pathname === '/') history.replace(`/cases/${EXPORTED_CASE}`)
  return history
}

export const routerOptions = (queries: QueryClient) => ({
  context: { queries },
  basepath: EXPORTED_CASE === null ? BASE.pathname : '/',
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
  // In the place of the part that failed: what stands around it goes on.
  defaultErrorComponent: PageError,
})

export const createAppRouter = (
  queries: QueryClient,
  history: RouterHistory | undefined = exportedHistory(),
) =>
  createRouter({
    ...routerOptions(queries),
    routeTree: root.addChildren(routes),
    ...(history && { history }),
  })

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** What was just made cases of, one a job; the list of them says so. */
    split?: { readonly jobs: number; readonly shared?: readonly string[]; readonly unread: readonly Unread[] }
  }
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
