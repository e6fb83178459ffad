import { CatchBoundary, useLocation } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import button from './Button.module.css'
import { Notice } from './Notice'

const NOT_FETCHED = /preload CSS|dynamically imported module|module script failed/i

/** Whether that is what a browser says where a part of the page, asked for when it is first shown, does not come. */
export const notFetched = (message: string) => NOT_FETCHED.test(message)
export const WHY_NOT_FETCHED = 'The server does not answer, or has been updated since this page was opened.'

/** A part of a page whose script comes when it is first drawn; `what` begins the sentence that stands in its place
 * where it does not come, or cannot be drawn. What stands around it stays, and at another address it is tried again: another
 * file or site may have nothing that cannot be drawn. */
export function LatePart({
  what,
  waiting,
  children,
}: {
  what: string
  waiting?: ReactNode
  children: ReactNode
}) {
  const address = useLocation({ select: ({ href }) => href })
  return (
    <CatchBoundary
      getResetKey={() => address}
      errorComponent={({ error }) => <Failed what={what} error={error} />}
    >
      <Suspense fallback={waiting}>{children}</Suspense>
    </CatchBoundary>
  )
}

function Failed({ what, error }: { what: string; error: unknown }) {
  const message = error instanceof Error ? error.message : String(error)
  const missing = notFetched(message)
  return (
    <Notice
      failed
      title={`${what} could not be ${missing ? 'fetched' : 'drawn'}.`}
      actions={
        <a className={button.bare} href={globalThis.location?.href}>
          Load the page again
        </a>
      }
    >
      {missing
        ? `${WHY_NOT_FETCHED} The address keeps what you chose.`
        : `The rest of the page holds without it. The browser says: ${message}`}
    </Notice>
  )
}
