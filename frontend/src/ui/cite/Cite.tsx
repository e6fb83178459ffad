import type { DocumentRef } from '../../api/types'
import { BEFORE_A_BREAK } from '../Dotted'
import { RuleLink } from '../RuleLink'
import css from './Cite.module.css'
import { sectionAddress, sourceAnchor } from './citation'

/** Who says so, and the way there: to the section on the web, else to the page of the rule, where it stands with a few of its
 * words. Solid: a document. Dashed: this project, because no document gives a number. */
export function Cite({
  document,
  section,
  rule,
  of,
  says,
  dated = false,
  plain = false,
}: {
  document: string
  section?: string
  /** The rule whose page lists the source in full. */
  rule?: string
  /** The document itself: its title, its public address, and when it was read. */
  of?: DocumentRef | undefined
  /** In its words, or ours, what it says there. */
  says?: string | undefined
  /** Whether the day on which it was read stands beside it, and not on hovering alone. */
  dated?: boolean
  /** Without a frame, among others. */
  plain?: boolean
}) {
  const project = document === 'project'
  const text =
    project || !section ? (
      document
    ) : (
      <>
        <span className={css.first}>
          {document}
          {BEFORE_A_BREAK}
        </span>{' '}
        {section}
      </>
    )
  const read = of?.read_on && `read on ${of.read_on}`
  const said = [[of?.title, read].filter(Boolean).join(', '), says].filter(Boolean).join(': ')
  const title = said || (project ? 'Set by this project: no document gives the number.' : section)
  const look = { className: plain ? css.plain : project ? css.project : css.cite, title }
  const name = of?.url ? (
    <a {...look} href={sectionAddress(of.url, section ?? '')} rel="noreferrer noopener">
      {text}
    </a>
  ) : rule ? (
    <RuleLink {...look} rule={rule} hash={sourceAnchor(document)}>
      {text}
    </RuleLink>
  ) : (
    <span {...look}>{text}</span>
  )
  if (!dated || !read) return name
  return (
    <span>
      {name} <small className="muted nowrap">{read}</small>
    </span>
  )
}
