import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, BASE, client } from '../api/client'
import type { components } from '../api/schema'
import button from '../ui/Button.module.css'
import { Command } from '../ui/Command'
import { Skeleton } from '../ui/Notice'
import { Panel } from '../ui/Panel'
import { QueryProblem } from '../ui/QueryProblem'
import css from './Access.module.css'
import { CasePeople } from './CasePeople'
import { day, LifetimeSelect } from './LifetimeSelect'
import { linksQuery, meQuery } from './queries'

const ANONYMOUS = { html: 'Page', markdown: 'Markdown', plain: 'Plain text', json: 'JSON' } as const

type ShareLink = components['schemas']['LinkView']

/** Links to the case: made, shown once, revoked. */
export default function ShareLinks({ caseId, onClose }: { caseId: string; onClose: () => void }) {
  const queries = useQueryClient()
  const links = useQuery(linksQuery(caseId))
  const { data: me } = useQuery(meQuery)
  const [days, setDays] = useState(30)
  const [withoutNames, setWithoutNames] = useState(false)
  const path = { case_id: caseId }
  const onSettled = () => queries.invalidateQueries(linksQuery(caseId))
  const make = useMutation({
    mutationFn: () =>
      answered(
        client.POST('/api/v1/cases/{case_id}/links', {
          params: { path },
          body: { days, without_names: withoutNames },
        }),
      ),
    onSettled,
  })
  const revoke = useMutation({
    mutationFn: (id: string) =>
      answered(
        client.DELETE('/api/v1/cases/{case_id}/links/{link_id}', {
          params: { path: { ...path, link_id: id } },
        }),
      ),
    onSettled,
  })
  const failed = [make, revoke].find((one) => one.error)
  return (
    <Panel
      title="Share this case"
      about="Anyone with a link can look at this case without logging in, but cannot change anything."
      onClose={onClose}
    >
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          make.mutate()
        }}
      >
        <LifetimeSelect value={days} onChange={setDays} />
        <label className={css.choice}>
          <input
            type="checkbox"
            checked={withoutNames}
            onChange={({ target }) => setWithoutNames(target.checked)}
          />
          Without names
        </label>
        <button type="submit" className={button.main} disabled={make.isPending}>
          Make a link
        </button>
      </form>
      {withoutNames && (
        <p className="soft">
          It shows one page, on which people, accounts, nodes, jobs and paths have other names; no file, no
          line of one and no other view can be opened by it.
        </p>
      )}
      {make.data && (
        <div role="status">
          <p>
            {make.data.view.without_names ? 'A link without names. ' : ''}Copy it now: the server does not
            keep it.
          </p>
          <Command text={make.data.url} />
        </div>
      )}
      {failed && <QueryProblem query={{ error: failed.error, refetch: failed.reset }} what="The link" />}
      {links.error && <QueryProblem query={links} what="The links" />}
      {links.isPending && <Skeleton height={40} />}
      {links.data?.length === 0 && <p>No link shows this case.</p>}
      <Links links={links.data ?? []} revoking={revoke.isPending} onRevoke={revoke.mutate} />
      {me && me.mode !== 'local' && me.role !== 'user' && <CasePeople caseId={caseId} />}
      {me && me.mode !== 'local' && me.role === 'user' && <AskTheHelpdesk caseId={caseId} />}
      <WithoutNames caseId={caseId} />
    </Panel>
  )
}

function Links({
  links,
  revoking,
  onRevoke,
}: {
  links: readonly ShareLink[]
  revoking: boolean
  onRevoke: (id: string) => void
}) {
  return (
    <ul className={css.rows} aria-label="Links that work">
      {links.map((link) => (
        <li key={link.id}>
          <span>
            until {day(link.ends_at)}{' '}
            <small>
              {link.without_names && 'without names, '}made {day(link.made_at)} by {link.made_by}
            </small>
          </span>
          <button
            type="button"
            className={button.button}
            aria-label={`Revoke the link until ${day(link.ends_at)}`}
            disabled={revoking}
            onClick={() => onRevoke(link.id)}
          >
            Revoke
          </button>
        </li>
      ))}
    </ul>
  )
}

const AskTheHelpdesk = ({ caseId }: { caseId: string }) => (
  <section aria-labelledby="helpdesk">
    <h3 id="helpdesk">Ask the helpdesk</h3>
    <p className="soft">
      It sees every case here, so no link is needed: write to it as usual, with this address.
    </p>
    <Command text={new URL(`cases/${caseId}`, BASE).href} />
  </section>
)

const WithoutNames = ({ caseId }: { caseId: string }) => (
  <section aria-labelledby="anonymous">
    <h3 id="anonymous">Take it away without names</h3>
    <p className="soft">
      People, accounts, nodes, jobs and paths get other names; figures, sentences and advice stay.
    </p>
    <ul className={css.formats}>
      {Object.entries(ANONYMOUS).map(([form, name]) => (
        <li key={form}>
          <a
            className={button.button}
            href={new URL(`api/v1/cases/${caseId}/export/${form}?anonymise=1`, BASE).href}
            download
          >
            {name}
          </a>
        </li>
      ))}
    </ul>
  </section>
)
