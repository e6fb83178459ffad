import type { Grade, Verdict } from '../api/types'
import css from './Severity.module.css'

/** What a mark stands for: how bad, or why there is nothing to grade. */
export type Mark = Grade | 'not_applicable' | 'error' | 'reading'

const WORDS: Record<Mark, string> = {
  high: 'high',
  medium: 'medium',
  low: 'low',
  info: 'info',
  clear: 'clear',
  unknown: 'unknown',
  not_applicable: 'does not apply',
  error: 'failed',
  reading: 'reading',
}

/** A triggered finding is marked by its severity, any other by its verdict. */
export function markOf(finding: { verdict: Verdict; severity: Grade }): Mark {
  return finding.verdict === 'triggered' ? finding.severity : finding.verdict
}

/** The shape alone; `label` gives screen readers the word where none stands beside it. */
export function SeverityMark({ mark, label = false }: { mark: Mark; label?: boolean }) {
  return (
    <>
      <span className={`${css.mark} ${css[mark]}`} aria-hidden="true" />
      {label && <span className="vh">{WORDS[mark]}</span>}
    </>
  )
}

export function SeverityWord({ mark }: { mark: Mark }) {
  return <span className={`${css.word} ${css[mark]}`}>{WORDS[mark]}</span>
}
