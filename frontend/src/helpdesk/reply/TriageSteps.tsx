import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Finding } from '../../analysis/caseDocument'
import { withOpen } from '../../analysis/search'
import type { Where } from '../../api/types'
import { keyOf } from '../../findings/keys'
import { unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { Command } from '../../ui/Command'
import { type Mark, SeverityMark } from '../../ui/Severity'
import type { TriageStep } from '../queries'
import css from './TriageSteps.module.css'

const WORDS: Readonly<Record<TriageStep['state'], string>> = {
  fine: 'go on',
  found: 'here',
  open: 'not known',
  stop: 'stop here',
  apart: 'not here',
}

/** The questions of a helpdesk in order, each with the case's answer, but for what goes back: the reply itself stands beside
 * them. What stands behind a stop is told more quietly. */
export function TriageSteps({
  caseId,
  steps: all,
  findings,
  onShow,
}: {
  caseId: string
  steps: readonly TriageStep[]
  findings: readonly Pick<Finding, 'rule' | 'scope' | 'title' | 'severity'>[]
  /** Opens where a number stands; without it, there is nothing to open it beside. */
  onShow?: (where: Where) => void
}) {
  const named = new Map(findings.map((finding) => [keyOf(finding), finding]))
  const steps = all.filter(({ id }) => id !== 'reply')
  const stop = steps.findIndex((step) => step.state === 'stop')
  return (
    <ol className={css.steps}>
      {steps.map((step, i) => {
        const findings = step.findings.flatMap((key) => named.get(key) ?? [])
        return (
          <li
            key={step.id}
            className={stop >= 0 && i > stop ? css.behind : undefined}
            data-state={step.state}
          >
            <span className={css.mark}>
              <SeverityMark mark={markOf(step, findings[0]?.severity)} />
            </span>
            <div>
              <h3>
                {step.question}
                {/* Not one that is answered by going on or stopping. */}
                {step.id !== 'history' && <span className={css.state}> {WORDS[step.state]}</span>}
              </h3>
              <p>{unbroken(step.answer)}</p>
              {step.lines.length > 0 && <Command small text={step.lines.join('\n')} />}
              {(findings.length > 0 || step.places.length > 0) && (
                <p className={css.see}>
                  {findings.map((finding) => (
                    <Link
                      key={keyOf(finding)}
                      to="/cases/$caseId"
                      params={{ caseId }}
                      search={(old) => withOpen(old, keyOf(finding))}
                    >
                      {finding.rule}
                    </Link>
                  ))}
                  {onShow && <Places places={step.places} onShow={onShow} />}
                </p>
              )}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

function markOf(step: TriageStep, severity: Mark | undefined): Mark {
  if (step.state === 'found') return severity ?? 'info'
  if (step.state === 'fine') return 'clear'
  return step.state === 'open' ? 'unknown' : step.state === 'stop' ? 'info' : 'not_applicable'
}

function Places({ places, onShow }: { places: readonly Where[]; onShow: (where: Where) => void }): ReactNode {
  return places.map((where) => (
    <button
      key={JSON.stringify(where)}
      type="button"
      className={`${button.link} mono`}
      onClick={() => onShow(where)}
    >
      {where.at.kind === 'lines' ? `line ${where.at.first}` : where.at.counter}
    </button>
  ))
}
