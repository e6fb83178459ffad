import css from './Cite.module.css'
import { RuleLink } from './RuleLink'

/** Who says so. Solid: a document. Dashed: this project, because no document gives a number. */
export function Cite({
  document,
  section,
  rule,
  title,
}: {
  document: string
  section?: string
  /** The rule whose page lists the source in full. */
  rule?: string
  title?: string | undefined
}) {
  const project = document === 'project'
  const text = project || !section ? document : `${document} · ${section}`
  const hover = title ?? (project ? 'Set by this project: no document gives the number.' : section)
  if (!rule) {
    return (
      <span className={project ? css.project : css.cite} title={hover}>
        {text}
      </span>
    )
  }
  return (
    <RuleLink className={project ? css.project : css.cite} rule={rule} hash="sources" title={hover}>
      {text}
    </RuleLink>
  )
}
