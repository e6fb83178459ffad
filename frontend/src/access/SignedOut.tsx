import { BASE } from '../api/client'
import button from '../ui/Button.module.css'
import shell from '../ui/Shell.module.css'
import css from './Access.module.css'
import type { Me } from './queries'

/** Where a page would be, for who has not said who they are: how one does. */
export function SignedOut({ me }: { me: Me }) {
  return (
    <div className={shell.wrap}>
      <title>Log in · IOtriage</title>
      <h1>
        {me.guest ? 'The link that you opened shows one case.' : 'This server does not know who you are.'}
      </h1>
      {me.mode === 'local' && (
        <p className={shell.lead}>
          Open the address that <code>iotriage serve</code> printed: it lets this browser in.{' '}
          <code>iotriage access open</code> prints another.
        </p>
      )}
      {me.mode === 'proxy' && (
        <>
          <p className={shell.lead}>
            You are let in by the service in front of this one, which asks who you are when a page is loaded.
          </p>
          <p className={css.enter}>
            <a className={button.main} href={globalThis.location.href}>
              Load the page again
            </a>
          </p>
        </>
      )}
      {me.sign_in !== null && (
        <p className={css.enter}>
          <a className={button.main} href={signInAddress(me.sign_in)}>
            Log in
          </a>
        </p>
      )}
      <p>A link to a single case works without that until it ends, or is revoked by whoever made it.</p>
    </div>
  )
}

/** Back to this page afterwards. */
export function signInAddress(signIn: string): string {
  const { pathname, search } = globalThis.location
  const here = pathname.slice(BASE.pathname.length) + search
  return new URL(`${signIn}?next=${encodeURIComponent(here)}`, BASE).href
}
