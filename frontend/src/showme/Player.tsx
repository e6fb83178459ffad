import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { decidedBy } from '../analysis/search'
import { anchorOf, keyOf, type Part, partAnchor, sentenceOf } from '../findings/keys'
import button from '../ui/Button.module.css'
import { useStillOnPage } from '../ui/useStillOnPage'
import css from './ShowMe.module.css'
import type { Step } from './steps'
import { usePlayback } from './usePlayback'

const route = getRouteApi('/cases/$caseId')
/** Time to read two lines and look at what is shown. */
const STEP_MS = 9_000

const still = () => globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? true

/** A bar below the page that goes through the evidence of a finding, as long as the address asks for it. */
export function Player({ document }: { document: CaseDocument }) {
  const { finding, steps, at } = usePlayback(document)
  const step = steps[at]
  if (!finding || !step) return null
  const key = keyOf(finding)
  return <Playing key={key} name={key} title={sentenceOf(finding)} steps={steps} at={at} step={step} />
}

function Playing({
  name,
  title,
  steps,
  at,
  step,
}: {
  name: string
  title: string
  steps: readonly Step[]
  at: number
  step: Step
}) {
  const { caseId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const stillHere = useStillOnPage()
  const bar = useRef<HTMLElement>(null)
  const begun = useRef<Element | null>(null)
  const [runs, setRuns] = useState(() => !still() && search.step === undefined)
  const base = decidedBy(search)

  const go = (next: number) => {
    const scene = steps[next]?.scene
    if (!scene || !stillHere()) return
    const kept = { ...base, open: name, play: name, step: next + 1 }
    const params = { caseId }
    const how = { replace: true, resetScroll: scene.kind === 'timeline' || scene.kind === 'evidence' }
    if (scene.kind === 'timeline')
      navigate({ to: '/cases/$caseId/timeline', params, search: { ...kept, ...scene.search }, ...how })
    else if (scene.kind === 'evidence')
      navigate({ to: '/cases/$caseId/evidence', params, search: { ...kept, ...scene.search }, ...how })
    else navigate({ to: '/cases/$caseId', params, search: kept, ...how })
  }
  const stop = () => {
    navigate({
      to: '/cases/$caseId',
      params: { caseId },
      search: { ...base, open: name },
      resetScroll: false,
    })
    // Where it was begun; after another view the finding is drawn anew.
    const from = begun.current
    if (from instanceof HTMLElement && from.isConnected && from !== globalThis.document.body) from.focus()
    else whenThere(anchorOf(name), (row) => row.querySelector('summary')?.focus())
  }
  const going = useRef(go)
  going.current = go

  useEffect(() => {
    begun.current = document.activeElement
    bar.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    const { kind } = step.scene
    if (kind !== 'timeline' && kind !== 'evidence') lookAt(kind, name)
  }, [step, name])
  const last = at === steps.length - 1
  useEffect(() => {
    if (!runs || last) return
    const timer = setTimeout(() => going.current(at + 1), STEP_MS)
    return () => clearTimeout(timer)
  }, [runs, last, at])

  const choose = (next: number) => {
    setRuns(false)
    if (next >= 0 && next < steps.length) go(next)
  }
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') stop()
    else if (event.key === 'ArrowRight') choose(at + 1)
    else if (event.key === 'ArrowLeft') choose(at - 1)
    else return
    event.preventDefault()
  }
  return (
    <>
      <div className={css.room} />
      <section ref={bar} className={css.bar} aria-label={`Show me: ${title}`} tabIndex={-1} onKeyDown={key}>
        <p className={css.words} aria-live="polite">
          <b>{`${at + 1} of ${steps.length}`}</b>
          {step.words}
        </p>
        <div className={css.does}>
          <button type="button" className={button.button} disabled={at === 0} onClick={() => choose(at - 1)}>
            Back
          </button>
          {!last && (
            <button type="button" className={button.button} onClick={() => setRuns(!runs)}>
              {runs ? 'Pause' : 'Play'}
            </button>
          )}
          <button type="button" className={button.main} disabled={last} onClick={() => choose(at + 1)}>
            Next
          </button>
          <button type="button" className={button.button} onClick={stop}>
            Stop
          </button>
        </div>
      </section>
    </>
  )
}

/** Scrolls to the finding, a part of it, or to the charts, once they stand in the page. */
function lookAt(what: 'charts' | Part, name: string) {
  const behavior = still() ? 'auto' : 'smooth'
  whenThere(what === 'charts' ? what : partAnchor(name, what), (found) =>
    found.scrollIntoView({ behavior, block: 'start' }),
  )
}

/** A view is drawn a few frames after its address. */
function whenThere(id: string, does: (found: HTMLElement) => void) {
  let tries = 0
  const look = () => {
    const found = document.getElementById(id)
    if (found) does(found)
    else if (tries++ < 60) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
