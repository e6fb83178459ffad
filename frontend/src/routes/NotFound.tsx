import { Link } from '@tanstack/react-router'
import { EXPORTED_CASE } from '../api/embedded'
import { DOT } from '../ui/Dotted'
import { notFetched, WHY_NOT_FETCHED } from '../ui/LatePart'
import shell from '../ui/Shell.module.css'

export function NotFound({ what = 'page at this address' }: { what?: string }) {
  return (
    <div className={shell.wrap}>
      <title>Not found · IOtriage</title>
      <h1>There is no {what}.</h1>
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

/** What says the same as the page at this path, and whom to tell where nothing does. */
const instead = (path: string) =>
  path.includes('/cases/')
    ? 'the command line says the same of the log: iotriage diagnose FILE.'
    : path.includes('/centre')
      ? 'the command line says the same of the day: iotriage report --date DAY.'
      : 'tell whoever runs this server, with the line below.'

/** Stands where the part would be: one that did not come, or a defect of the page itself. */
export function PageError({ error }: { error: unknown }) {
  const message = error instanceof Error ? error.message : String(error)
  const path = globalThis.location?.pathname ?? ''
  const missing = notFetched(message)
  return (
    <div className={path.includes('/cases/') ? shell.view : shell.wrap} role="alert">
      <title>Page failed · IOtriage</title>
      <h2>{missing ? 'This part of the page could not be fetched.' : 'This page could not be drawn.'}</h2>
      <p className={shell.lead}>
        {missing
          ? `${WHY_NOT_FETCHED} Load the page again once it answers; the address keeps what you chose.`
          : `What is stored is unharmed. Load the page again; if that does not help, ${instead(path)}`}
      </p>
      {!missing && <pre className="small">{message}</pre>}
      <p>
        <a href={globalThis.location?.href}>Load it again</a>
        {DOT}
        <Link to="/">Cases</Link>
      </p>
    </div>
  )
}
