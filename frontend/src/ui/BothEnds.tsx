import css from './BothEnds.module.css'

/** What tells two names of one program or one day apart is often their end. */
const END = 16

/** A name of which a narrow place shows the beginning and the end. It is one text: read, found and copied whole;
 * what it stands in has it as its title. */
export function BothEnds({ name, lines = 1 }: { name: string; lines?: 1 | 3 }) {
  if (name.length <= (lines === 1 ? END + 4 : 2 * END)) return name
  return (
    <span className={lines === 1 ? css.line : css.lines}>
      <span>{name.slice(0, -END)}</span>
      <span>{name.slice(-END)}</span>
    </span>
  )
}
