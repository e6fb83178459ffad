import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { answered, client } from '../api/client'
import button from '../ui/Button.module.css'
import { Command } from '../ui/Command'
import { QueryProblem } from '../ui/QueryProblem'
import shell from '../ui/Shell.module.css'
import css from './Access.module.css'
import { day, LifetimeSelect } from './LifetimeSelect'
import { meQuery, peopleQuery, type Scope, tokensQuery } from './queries'

const SCOPES: Readonly<Record<Scope, string>> = {
  read: 'look at cases',
  submit: 'also give logs and make cases',
  full: 'all that you may, but make tokens',
}

/** One's tokens for programs; an administrator's people. */
export function AccessPage() {
  const { data: me, isPending } = useQuery(meQuery)
  return (
    <div className={css.page}>
      <title>Access · IOtriage</title>
      <h1>Access</h1>
      {me?.role === 'admin' && (
        <p className={shell.lead}>
          Sites, thresholds, how long things are kept and who did what are on the page of{' '}
          <Link className={css.inText} to="/administration">
            administration
          </Link>
          .
        </p>
      )}
      {/* Not before what stands above them, which would move them. */}
      {!isPending && <Tokens everybodys={me?.role === 'admin' && me.mode !== 'local'} />}
      {me?.role === 'admin' && me.mode !== 'local' && <People own={me.id} />}
    </div>
  )
}

function Tokens({ everybodys }: { everybodys: boolean }) {
  const queries = useQueryClient()
  const tokens = useQuery(tokensQuery)
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('submit')
  const [days, setDays] = useState(90)
  const onSettled = () => queries.invalidateQueries(tokensQuery)
  const make = useMutation({
    mutationFn: () => answered(client.POST('/api/v1/tokens', { body: { name, scope, days } })),
    onSettled,
    onSuccess: () => setName(''),
  })
  const revoke = useMutation({
    mutationFn: (id: string) =>
      answered(client.DELETE('/api/v1/tokens/{token_id}', { params: { path: { token_id: id } } })),
    onSettled,
  })
  const failed = [make, revoke].find((one) => one.error)
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens for programs</h2>
      <p>
        A program shows one as <code>Authorization: Bearer …</code>; keep it in a file that you alone can
        read.
      </p>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          make.mutate()
        }}
      >
        <label>
          What it is for
          <input
            className={button.field}
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label>
          It may
          <select
            className={button.select}
            value={scope}
            onChange={(event) => setScope(event.target.value as Scope)}
          >
            {Object.entries(SCOPES).map(([id, words]) => (
              <option key={id} value={id}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <LifetimeSelect value={days} onChange={setDays} />
        <button type="submit" className={button.main} disabled={make.isPending}>
          Make a token
        </button>
      </form>
      {make.data && (
        <div role="status">
          <p>Copy it now: the server does not keep it.</p>
          <Command text={make.data.token} />
        </div>
      )}
      {failed && <QueryProblem query={{ error: failed.error, refetch: failed.reset }} what="The token" />}
      {tokens.error && <QueryProblem query={tokens} what="The tokens" />}
      {tokens.data?.length === 0 && <p className="soft">No token has been made yet.</p>}
      <ul className={css.rows} aria-label={everybodys ? "Everybody's tokens" : 'Your tokens'}>
        {tokens.data?.map((token) => (
          <li key={token.id}>
            <span>
              {token.name}{' '}
              <small>
                {token.scope}, until {day(token.ends_at)},{' '}
                {token.used_at === null ? 'not used yet' : `first used ${day(token.used_at)}`}
                {everybodys && `, ${token.person}`}
              </small>
            </span>
            <button
              type="button"
              className={button.button}
              aria-label={`Revoke ${token.name}`}
              disabled={revoke.isPending}
              onClick={() => revoke.mutate(token.id)}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function People({ own }: { own: string | null }) {
  const queries = useQueryClient()
  const people = useQuery(peopleQuery)
  const end = useMutation({
    mutationFn: (id: string) =>
      answered(client.DELETE('/api/v1/people/{person_id}/access', { params: { path: { person_id: id } } })),
    onSettled: () => queries.invalidateQueries(tokensQuery),
  })
  return (
    <section aria-labelledby="people">
      <h2 id="people">People</h2>
      <p>
        Ending somebody's access logs them out and revokes their tokens and the links that they shared.
        Whoever is still allowed to log in can come back.
      </p>
      {people.error && <QueryProblem query={people} what="The people" />}
      {end.error && <QueryProblem query={{ error: end.error, refetch: end.reset }} what="Their access" />}
      {end.data && (
        <p role="status">
          Log-ins ended: {end.data.sessions}; tokens revoked: {end.data.tokens}; links revoked:{' '}
          {end.data.links}.
        </p>
      )}
      <ul className={css.rows} aria-label="People who came">
        {people.data?.map((person) => (
          <li key={person.id}>
            <span>
              {person.name}{' '}
              <small>
                {person.name !== person.id && `${person.id}, `}
                {person.role}, last noted {day(person.seen_at)}
              </small>
            </span>
            {person.id !== own && (
              <button
                type="button"
                className={button.button}
                aria-label={`End the access of ${person.id}`}
                disabled={end.isPending}
                onClick={() => end.mutate(person.id)}
              >
                End access
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
