import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answered, client } from '../api/client'
import button from '../ui/Button.module.css'
import css from './Access.module.css'
import { meQuery } from './queries'
import { signInAddress } from './SignedOut'

/** Who one is, at the end of the bar; nothing on a machine of one's own. */
export function Account() {
  const { data: me } = useQuery(meQuery)
  const queries = useQueryClient()
  const signOut = useMutation({
    mutationFn: () => answered(client.POST('/api/v1/me/sign-out')),
    onSettled: () => queries.resetQueries(),
  })
  if (!me || (me.mode === 'local' && !me.signs_out)) return null
  if (me.id === null) {
    return me.sign_in === null ? null : (
      <a className={button.bare} href={signInAddress(me.sign_in)}>
        Log in
      </a>
    )
  }
  return (
    <span className={css.account}>
      {me.mode !== 'local' && (
        <Link to="/access" title={`You are ${me.id}`}>
          {me.name}
          {me.role !== 'user' && <span className={css.role}>, {me.role}</span>}
        </Link>
      )}
      {me.signs_out && (
        <button type="button" className={button.bare} onClick={() => signOut.mutate()}>
          <span className={css.out}>Log out</span>
          <svg className={css.door} viewBox="0 0 16 16" aria-hidden="true">
            <path
              d="M6.500 2.500h-4v11h4M6 8h7.500M10.500 5l3 3-3 3"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.500"
            />
          </svg>
        </button>
      )}
    </span>
  )
}
