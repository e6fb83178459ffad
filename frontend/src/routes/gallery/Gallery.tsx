import { createRoute } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense } from 'react'
import type { Named } from '../../fixtures/named'
import { root } from '../../router'
import { Missing } from '../../ui/Missing'
import { Skeleton } from '../../ui/Notice'
import { type Mark, SeverityMark, SeverityWord } from '../../ui/Severity'
import shell from '../../ui/Shell.module.css'
import css from './Gallery.module.css'
import { PARTS, type Part, validateGallerySearch } from './search'

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
const Waiting = () => (
  <div>
    <Skeleton height={1200} />
  </div>
)
/** What a part shows is loaded with it: the documents are some 350 kB each. */
const CONTENTS: Readonly<Record<Part, ComponentType>> = {
  darshan: cases(async () => (await import('../../fixtures/darshan')).DARSHAN_FIXTURES),
  lustre: cases(async () => (await import('../../fixtures/lustre')).LUSTRE_FIXTURES),
  mpich: cases(async () => (await import('../../fixtures/mpich')).MPICH_FIXTURES),
  invented: cases(async () => (await import('../../fixtures/invented')).INVENTED_FIXTURES),
  comparisons: lazy(() => import('./Comparisons')),
  views: lazy(() => import('./Views')),
  states: lazy(() => import('./States')),
}
export const galleryRoute = createRoute({
  getParentRoute: () => root,
  path: '/gallery',
  validateSearch: validateGallerySearch,
  component: Gallery,
})

/** Every chart and state, from fixtures, a part at a time. */
function Gallery() {
  const { part = 'darshan' } = galleryRoute.useSearch()
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
              <a href={`gallery?part=${id}`} aria-current={id === part ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Suspense fallback={<Waiting />}>
        <Content />
      </Suspense>
    </div>
  )
}

function cases(load: () => Promise<readonly Named[]>): ComponentType {
  return lazy(async () => {
    const [{ Cases }, of] = await Promise.all([import('./Cases'), load()])
    return { default: () => <Cases of={of} /> }
  })
}
