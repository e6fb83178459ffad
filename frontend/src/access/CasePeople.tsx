import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, client } from '../api/client'
import button from '../ui/Button.module.css'
import { QueryProblem } from '../ui/QueryProblem'
import css from './Access.module.css'
import { casePeopleQuery } from './queries'

/** To whom the helpdesk gave the case: they see it as one of their own. */
export function CasePeople({ caseId }: { caseId: string }) {
  const queries = useQueryClient()
  const people = useQuery(casePeopleQuery(caseId))
  const [person, setPerson] = useState('')
  const onSettled = () => queries.invalidateQueries(casePeopleQuery(caseId))
  const path = (id: string) => ({ params: { path: { case_id: caseId, person_id: id } } })
  const give = useMutation({
    mutationFn: () => answered(client.PUT('/api/v1/cases/{case_id}/people/{person_id}', path(person.trim()))),
    onSettled,
    onSuccess: () => setPerson(''),
  })
  const take = useMutation({
    mutationFn: (id: string) =>
      answered(client.DELETE('/api/v1/cases/{case_id}/people/{person_id}', path(id))),
    onSettled,
  })
  const failed = [give, take].find((one) => one.error)
  return (
    <section aria-labelledby="given-to">
      <h3 id="given-to">Give it to a person</h3>
      <p className="soft">They see the case among their own when they log in, and may change it.</p>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          give.mutate()
        }}
      >
        <label>
          Their id, as the log-in has it
          <input
            className={button.field}
            required
            maxLength={255}
            pattern=".*\S.*"
            value={person}
            onChange={({ target }) => setPerson(target.value)}
          />
        </label>
        <button type="submit" className={button.main} disabled={give.isPending}>
          Give
        </button>
      </form>
      {failed && <QueryProblem query={{ error: failed.error, refetch: failed.reset }} what="The case" />}
      {people.error && <QueryProblem query={people} what="The people" />}
      <ul className={css.rows} aria-label="People who were given the case">
        {people.data?.map((id) => (
          <li key={id}>
            <span>{id}</span>
            <button
              type="button"
              className={button.button}
              aria-label={`Take the case back from ${id}`}
              disabled={take.isPending}
              onClick={() => take.mutate(id)}
            >
              Take back
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
