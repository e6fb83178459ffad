import { Link } from '@tanstack/react-router'
import { EXPORTED_CASE } from '../api/held'
import shell from '../ui/Shell.module.css'

export function NotFound({ what = 'a page at this address' }: { what?: string }) {
  return (
    <div className={shell.wrap}>
      <title>Not found · IOtriage</title>
      <h1>There is not {what}.</h1>
      <p className={shell.lead}>The address may have been cut short or mistyped.</p>
      {EXPORTED_CASE === null && (
        <p>
          <Link to="/">Cases</Link> · <Link to="/rules">Rules</Link>
        </p>
      )}
    </div>
  )
}

/** A defect of the page itself: what it was, and what can be done without it. */
export function PageError({ error }: { error: unknown }) {
  return (
    <div className={shell.wrap}>
      <title>Page failed · IOtriage</title>
      <h1>This page could not be drawn.</h1>
      <p className={shell.lead}>
        The case itself is stored and unharmed. Load the page again; if it stays so, the command line says the
        same: iotriage diagnose FILE.
      </p>
      <pre className="small">{error instanceof Error ? error.message : String(error)}</pre>
      <p>
        <a href={globalThis.location?.href}>Load it again</a> · <Link to="/">Cases</Link>
      </p>
    </div>
  )
}
