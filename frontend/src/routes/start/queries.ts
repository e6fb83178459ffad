import { casesQuery } from '../../api/queries'

/** The server gives at most this many at a time. */
export const MOST = 500
export const recentQuery = casesQuery(MOST, 0)
