import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Finding } from '../analysis/caseDocument'
import { decidedBy, validateCaseSearch } from '../analysis/search'
import { useCase } from '../findings/CaseContext'
import { keyOf } from '../findings/keys'
import { plural } from '../format'
import button from '../ui/Button.module.css'
import css from './ShowMe.module.css'
import { type Scene, stepsOf } from './steps'
import { HERE } from './views'

/** Plays the evidence of a finding, and leads to its moment on the timeline. */
export function ShowMe({ finding }: { finding: Finding }) {
  const { caseId, document } = useCase()
  const steps = useMemo(() => stepsOf(finding, document, HERE), [finding, document])
  if (steps.length === 0) return null
  const key = keyOf(finding)
  const moment = steps.find(({ scene }) => scene.kind === 'timeline')?.scene
  return (
    <p className={`${css.start} screen`}>
      <Link
        to="/cases/$caseId"
        params={{ caseId }}
        search={(old) => ({ ...decidedBy(validateCaseSearch({ ...old })), open: key, play: key })}
        resetScroll={false}
        className={button.button}
      >
        Show me, in {plural(steps.length, 'step')}
      </Link>
      {moment && <MomentLink scene={moment}>its moment on the timeline</MomentLink>}
    </p>
  )
}

function MomentLink({ scene, children }: { scene: Scene; children: string }) {
  const { caseId } = useCase()
  if (scene.kind !== 'timeline') return null
  return (
    <Link
      to="/cases/$caseId/timeline"
      params={{ caseId }}
      search={(old) => ({ ...decidedBy(validateCaseSearch({ ...old })), ...scene.search })}
    >
      {children}
    </Link>
  )
}
