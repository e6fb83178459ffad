import { ApiError } from '../api/client'
import button from './Button.module.css'
import { Notice } from './Notice'

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
    </Notice>
  )
}
