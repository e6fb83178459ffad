import css from './Steady.module.css'

/** A name that is set in bold while its page is open, with the room for that at all times: its neighbours stay where they are. */
export const Steady = ({ children: name }: { children: string }) => (
  <span className={css.steady} data-name={name}>
    {name}
  </span>
)
