import css from './Cite.module.css'
import { sectionAddress, sourceAnchor } from './citation'
import { RuleLink } from './RuleLink'

/** Who says so, and the way there: to the section on the web, else to the page of the rule, where it stands with a few of its
 * words. Solid: a document. Dashed: this project, because no document gives a number. */
export function Cite({
  document,
  section,
  rule,
  title,
  url,
}: {
  document: string
  section?: string
  /** The rule whose page lists the source in full. */
  rule?: string
  title?: string | undefined
  /** The document's public address. */
  url?: string | null | undefined
}) {
  const project = document === 'project'
  const text = project || !section ? document : `${document} · ${section}`
  const hover = title ?? (project ? 'Set by this project: no document gives the number.' : section)
  const look = project ? css.project : css.cite
  if (url) {
    return (
      <a className={look} href={sectionAddress(url, section ?? '')} title={hover} rel="noreferrer noopener">
        {text}
      </a>
    )
  }
  if (!rule) {
    return (
      <span className={look} title={hover}>
        {text}
      </span>
    )
  }
  return (
    <RuleLink className={look} rule={rule} hash={sourceAnchor(document)} title={hover}>
      {text}
    </RuleLink>
  )
}
