import css from './BothEnds.module.css'

/** What tells two names of one program or one day apart is often their end. */
const END = 16
/** Where a name is cut rather than within a word of it. */
const JOINT = /[-_. ]/
/** Where its end begins: behind a joint that leaves at least half as much, if there is one. */
const endOf = (name: string): number => name.length - END + name.slice(-END, -END / 2).search(JOINT) + 1
/** Letters of which each stands by itself, the next on its right. Of others there may be two that are one sign, or the
 * second half of a name would be drawn before its first. */
const APART = /^[ -\u024f]*$/

/** A name of which a narrow place shows the beginning and the end. It is read, found and copied whole, beside what is
 * seen of it; what it stands in has it as its title. */
export function BothEnds({ name, lines = 1 }: { name: string; lines?: 1 | 3 }) {
  if (name.length <= (lines === 1 ? END + 4 : 2 * END) || !APART.test(name)) return name
  const end = endOf(name)
  return (
    <span className={lines === 1 ? css.line : css.lines}>
      <span aria-hidden="true">{name.slice(0, end)}</span>
      <span aria-hidden="true">{name.slice(end)}</span>
      <span className="vh">{name}</span>
    </span>
  )
}
