import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { keyOf } from '../findings/keys'
import { stepsOf } from './steps'
import { HERE } from './views'

const route = getRouteApi('/cases/$caseId')

/** What the address asks to be played, and where in it one is. */
export function usePlayback(document: CaseDocument) {
  const { play, step } = route.useSearch()
  const finding = document.findings.find((one) => keyOf(one) === play)
  const steps = useMemo(() => (finding ? stepsOf(finding, document, HERE) : []), [finding, document])
  const at = Math.min(Math.max(0, (step ?? 1) - 1), Math.max(0, steps.length - 1))
  return { finding, steps, at } as const
}
