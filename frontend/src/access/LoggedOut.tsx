import { useQueryClient } from '@tanstack/react-query'
import button from '../ui/Button.module.css'
import { Notice } from '../ui/Notice'
import css from './Access.module.css'
import type { Me } from './queries'
import { signInAddress } from './SignedOut'

/** Above a page that was opened by somebody who is not logged in any more: what they wrote on it stays. */
export function LoggedOut({ me }: { me: Me }) {
  const queries = useQueryClient()
  return (
    <div className={css.loggedOut}>
      <Notice
        failed
        title="You are logged out"
        actions={
          <>
            {me.mode !== 'local' && (
              <a
                className={button.button}
                href={me.sign_in === null ? globalThis.location.href : signInAddress(me.sign_in)}
                target="_blank"
                rel="noreferrer"
              >
                Log in, in another window
              </a>
            )}
            <button type="button" className={button.button} onClick={() => queries.invalidateQueries()}>
              I have logged in
            </button>
          </>
        }
      >
        {me.mode === 'local'
          ? 'Open the address that “iotriage access open” prints in another window. What is on this page stays.'
          : 'Your session has expired. What is on this page stays.'}
      </Notice>
    </div>
  )
}
