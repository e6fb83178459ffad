import { getRouteApi, Link } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { CaseDocument } from '../../api/types'
import { LinkedProvider } from '../../charts/frame/linked'
import { ChartGrid } from '../../charts/frame/Pictures'
import {
  DARSHAN_FIXTURES,
  INVENTED_FIXTURES,
  LUSTRE_FIXTURES,
  MPICH_FIXTURES,
} from '../../fixtures/documents'
import { Overview } from '../../overview/Overview'
import { Missing } from '../../ui/Missing'
import section from '../../ui/Section.module.css'
import { type Mark, SeverityMark, SeverityWord } from '../../ui/Severity'
import shell from '../../ui/Shell.module.css'
import { Comparisons } from './Comparisons'
import css from './Gallery.module.css'
import { States } from './States'
import { PARTS, type Part } from './search'
import { Views } from './Views'

const MARKS: readonly Mark[] = [
  'high',
  'medium',
  'low',
  'info',
  'clear',
  'unknown',
  'not_applicable',
  'error',
]
const CONTENTS: Readonly<Record<Part, ComponentType>> = {
  darshan: () => <Cases of={DARSHAN_FIXTURES} />,
  lustre: () => <Cases of={LUSTRE_FIXTURES} />,
  mpich: () => <Cases of={MPICH_FIXTURES} />,
  invented: () => <Cases of={INVENTED_FIXTURES} />,
  comparisons: Comparisons,
  views: Views,
  states: States,
}
const route = getRouteApi('/gallery')

/** Every chart and state, from fixtures, a part at a time. */
export function Gallery() {
  const { part = 'darshan' } = route.useSearch()
  const Content = CONTENTS[part]
  return (
    <div className={css.wrap}>
      <title>Gallery · IOtriage</title>
      <h1>Gallery</h1>
      <p className={shell.lead}>
        Every chart and state of the page, drawn from sample logs and a few invented figures.
      </p>
      <p className={css.marks}>
        {MARKS.map((mark) => (
          <span key={mark}>
            <SeverityMark mark={mark} /> <SeverityWord mark={mark} />
          </span>
        ))}
        <Missing />
      </p>
      <nav aria-label="Parts of the gallery">
        <ul className={css.parts}>
          {Object.entries(PARTS).map(([id, title]) => (
            <li key={id}>
              <Link
                to="/gallery"
                search={{ part: id as Part }}
                aria-current={id === part ? 'page' : undefined}
              >
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Content />
    </div>
  )
}

function Cases({ of }: { of: readonly (readonly [string, CaseDocument])[] }) {
  return of.map(([title, document]) => (
    <section key={title} aria-label={title}>
      <div className={section.row}>
        <h2>{title}</h2>
        <p>{document.headline.sentence}</p>
      </div>
      <LinkedProvider>
        <Overview document={document} />
        <ChartGrid document={document} />
      </LinkedProvider>
    </section>
  ))
}
