import type { UseQueryResult } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import type { TriageStep } from '../queries'
import { TriageSteps } from './TriageSteps'

/** The triage below its heading, of which `height` keeps the place while it is fetched. */
export function TriageSection({
  steps,
  height,
  ...rest
}: Omit<ComponentProps<typeof TriageSteps>, 'steps'> & {
  steps: UseQueryResult<readonly TriageStep[]>
  height: number
}) {
  return (
    <section aria-labelledby="triage">
      <h2 id="triage">Triage, step by step</h2>
      {steps.isPending ? (
        <Skeleton height={height} />
      ) : steps.error && !steps.data ? (
        <QueryProblem query={steps} what="The triage" />
      ) : (
        <TriageSteps steps={steps.data ?? []} {...rest} />
      )}
    </section>
  )
}
