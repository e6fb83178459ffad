import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { decidedBy, validateCaseSearch } from '../analysis/search'
import { EXPORTED_CASE } from '../api/embedded'
import type { Finding } from '../api/types'
import { useCase } from '../findings/CaseContext'
import { keyOf } from '../findings/keys'
import { plural } from '../format'
import button from '../ui/Button.module.css'
import { type Scene, stepsOf } from './steps'

/** Plays what the finding rests on, and leads to its moment on the timeline. A file has no views to play in. */
export function ShowMe({ finding }: { finding: Finding }) {
  const { caseId, document } = useCase()
  const steps = useMemo(() => stepsOf(finding, document), [finding, document])
  if (EXPORTED_CASE !== null || steps.length === 0) return null
  const key = keyOf(finding)
  const moment = steps.find(({ scene }) => scene.kind === 'timeline')?.scene
  return (
    <p className="screen">
      <Link
        to="/cases/$caseId"
        params={{ caseId }}
        search={(old) => ({ ...decidedBy(validateCaseSearch({ ...old })), open: key, play: key })}
        resetScroll={false}
        className={button.button}
      >
        Show me, in {plural(steps.length, 'step')}
      </Link>{' '}
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
