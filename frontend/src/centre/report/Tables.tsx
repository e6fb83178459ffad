import css from './Report.module.css'
import { SectionTable } from './SectionTable'
import type { Section } from './types'

/** The tables of a part; below them, of each that has no row, what that means. */
export function Tables({ sections }: { sections: readonly Section[] }) {
  const found = sections.filter((section) => section.rows.length > 0)
  const none = sections.filter((section) => section.rows.length === 0)
  return (
    <>
      {found.map((section) => (
        <div key={section.id} className={css.table}>
          <h3>{section.title}</h3>
          <p className={css.see}>{section.note}</p>
          <SectionTable section={section} />
        </div>
      ))}
      {none.length > 0 && (
        <dl className={css.none}>
          {none.map((section) => (
            <div key={section.id}>
              <dt>{section.title}</dt>
              <dd>{section.none}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}
