import { ApiError } from '../api/client'
import button from './Button.module.css'
import { Notice } from './Notice'

/** What a page that is open asks for was there when it was opened. */
const GONE = ' It may have been removed since this page was opened.'

/** A request that failed: what it was for, what the server said, and a button that asks again. */
export function QueryProblem({
  query,
  what,
}: {
  query: { error: Error | null; refetch: () => unknown }
  what: string
}) {
  const { error } = query
  return (
    <Notice
      failed
      title={`${what} could not be fetched`}
      actions={
        <button type="button" className={button.button} onClick={() => query.refetch()}>
          Try again
        </button>
      }
    >
      {error instanceof ApiError ? `${error.title}. ${error.detail}` : error?.message}
      {error instanceof ApiError && error.status === 404 && GONE}
    </Notice>
  )
}
