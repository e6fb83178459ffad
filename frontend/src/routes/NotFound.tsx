import { Link } from '@tanstack/react-router'
import { EXPORTED_CASE } from '../api/embedded'
import { DOT } from '../ui/Dotted'
import shell from '../ui/Shell.module.css'

export function NotFound({ what = 'a page at this address' }: { what?: string }) {
  return (
    <div className={shell.wrap}>
      <title>Not found · IOtriage</title>
      <h1>There is not {what}.</h1>
      <p className={shell.lead}>The address may have been cut short or mistyped.</p>
      {EXPORTED_CASE === null && (
        <p>
          <Link to="/">Cases</Link>
          {DOT}
          <Link to="/rules">Rules</Link>
        </p>
      )}
    </div>
  )
}

/** What a browser says where a part of the page, asked for when it is first shown, does not come. */
const NOT_FETCHED = /preload CSS|dynamically imported module|module script failed/i

/** Stands where the part would be: one that did not come, or a defect of the page itself. */
export function PageError({ error }: { error: unknown }) {
  const said = error instanceof Error ? error.message : String(error)
  const missing = NOT_FETCHED.test(said)
  return (
    <div className={shell.wrap} role="alert">
      <title>Page failed · IOtriage</title>
      <h2>{missing ? 'This part of the page could not be fetched.' : 'This page could not be drawn.'}</h2>
      <p className={shell.lead}>
        {missing
          ? 'The server does not answer, or has been updated since this page was opened. Load the page again once it answers; the address keeps what you chose.'
          : 'The case itself is stored and unharmed. Load the page again; if it stays so, the command line says the same: iotriage diagnose FILE.'}
      </p>
      {!missing && <pre className="small">{said}</pre>}
      <p>
        <a href={globalThis.location?.href}>Load it again</a>
        {DOT}
        <Link to="/">Cases</Link>
      </p>
    </div>
  )
}
