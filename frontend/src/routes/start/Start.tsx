import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { lazy, useId, useState } from 'react'
import { type Me, meQuery } from '../../access/queries'
import { infoQuery } from '../../api/queries'
import type { Unread } from '../../api/types'
import { createCase, type Sent } from '../../api/upload'
import { plural } from '../../format'
import button from '../../ui/Button.module.css'
import { LatePart } from '../../ui/LatePart'
import { Notice } from '../../ui/Notice'
import shell from '../../ui/Shell.module.css'
import { useStillOnPage } from '../../ui/useStillOnPage'
import { noteUploaded } from '../../upload/justUploaded'
import { Upload } from '../../upload/Upload'
import { recentQuery } from './queries'
import css from './Start.module.css'

// The start is part of every page's first script; its lists are not.
const RecentCases = lazy(() => import('./RecentCases'))
const Samples = lazy(() => import('./Samples'))

/** Where logs are given; the cases made of them, and the samples. */
export function Start() {
  const info = useQuery(infoQuery)
  const me = useQuery(meQuery)
  const cases = useQuery(recentQuery)
  const client = useQueryClient()
  const navigate = useNavigate()
  const stillHere = useStillOnPage()
  const { split } = useLocation().state
  const [site, setSite] = useState('')
  const siteId = useId()
  const finish = async (sent: readonly Sent[]) => {
    const caseId = await createCase(sent, site === '' ? null : site)
    noteUploaded(caseId)
    client.invalidateQueries({ queryKey: ['cases'] })
    if (stillHere()) await navigate({ to: '/cases/$caseId', params: { caseId } })
  }
  return (
    <div className={shell.wrap}>
      <title>Cases · IOtriage</title>
      <h1>What is wrong with this job's I/O?</h1>
      <p className={shell.lead}>
        Give the logs the job left behind. You get the cause in a sentence, the command that fixes it, and the
        document that says so.
      </p>
      <Upload limit={info.data?.upload_limit_bytes ?? null} finish={finish} />
      <p className={css.safe}>
        <label htmlFor={siteId}>
          Where it ran
          <select
            className={`${button.select} ${css.site}`}
            id={siteId}
            value={site}
            onChange={(event) => setSite(event.target.value)}
          >
            <option value="">detected</option>
            {info.data?.sites.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <span>Logs stay on this server{seenBy(me.data)}</span>
        <span>
          No log yet? Load the <span className="mono">darshan</span> module before the job, or set{' '}
          <span className="mono">MPICH_MPIIO_STATS=1</span> in its script, and run it again
        </span>
      </p>
      {split && (
        <div className={css.split}>
          <Notice
            title={`What you gave is of ${plural(split.jobs, 'job')}: each is a case of its own, first in the list below.`}
          >
            <InSeveral names={split.shared ?? []} />
            <LeftOut unread={split.unread} />
          </Notice>
        </div>
      )}
      <LatePart what="The cases">
        <RecentCases />
        {/* Below a list whose length is not known yet, they would move away under the pointer. */}
        {!cases.isPending && <Samples />}
      </LatePart>
    </div>
  )
}

/** Who else sees what somebody gives: on a machine of one's own nobody. */
const seenBy = (me: Me | undefined): string =>
  me === undefined || me.mode === 'local'
    ? ''
    : ': you see them, the helpdesk does, and whom you or it shows the case'

/** More than these stand below their number, to be opened. */
const MOST_AT_ONCE = 3

/** Who gave one text for all looks for it. */
const InSeveral = ({ names }: { names: readonly string[] }) =>
  names.length > 0 && (
    <p>
      {names.length <= MOST_AT_ONCE ? names.join(', ') : plural(names.length, 'file')}{' '}
      {names.length === 1 ? 'names' : 'name'} no job, or several: {names.length === 1 ? 'it is' : 'they are'}{' '}
      in each case that {names.length === 1 ? 'it' : 'they'} may be of.
    </p>
  )

/** Each with its reason on a line; what to give instead may be a long list, and is opened. */
function LeftOut({ unread }: { unread: readonly Unread[] }) {
  if (unread.length === 0) return null
  const lines = (
    <ul>
      {unread.map(({ name, why, next }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a file is its place among those given, of which several may have one name
        <li key={at}>
          <b>{name}</b> could not be read, and is left out. {why}
          {next !== '' && (
            <details>
              <summary>What to give instead</summary>
              {next}
            </details>
          )}
        </li>
      ))}
    </ul>
  )
  if (unread.length <= MOST_AT_ONCE) return lines
  return (
    <details>
      <summary>{plural(unread.length, 'file')} could not be read, and are left out</summary>
      {lines}
    </details>
  )
}
