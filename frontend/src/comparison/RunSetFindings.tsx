import { Link } from '@tanstack/react-router'
import { inWords } from '../analysis/advice'
import type { Comparison } from '../api/types'
import { Command } from '../ui/Command'
import { Sentence } from '../ui/lines/Sentence'
import section from '../ui/Section.module.css'
import { SeverityMark } from '../ui/Severity'
import css from './RunSetFindings.module.css'

/** What the rules about run sets say; the first that holds is the page's own headline. */
export function RunSetFindings({ comparison }: { comparison: Comparison }) {
  if (comparison.run_set.length === 0) return null
  return (
    <section aria-labelledby="rules">
      <div className={section.row}>
        <h2 id="rules">What the set of runs says</h2>
      </div>
      <ul className={css.rules}>
        {comparison.run_set.map((finding) => (
          <li key={finding.rule}>
            <SeverityMark
              mark={finding.verdict === 'triggered' ? finding.severity : markOf(finding.verdict)}
            />
            <div>
              <p>
                <b>{finding.verdict === 'clear' ? finding.clear_title : finding.title}</b>{' '}
                <Link className="mono small" to="/rules/$ruleId" params={{ ruleId: finding.rule }}>
                  {finding.rule}
                </Link>
                {finding.verdict === 'unknown' && ' not decided: a figure is missing'}
              </p>
              {finding.summary && finding.summary !== comparison.note && (
                <p className="soft">{finding.summary}</p>
              )}
              {finding.advice.map((advice) => (
                <div key={inWords(advice)} className={css.advised}>
                  <p className="soft">
                    <Sentence>{inWords(advice)}</Sentence>
                  </p>
                  {advice.command && <Command small text={advice.command} />}
                </div>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

const markOf = (verdict: Comparison['run_set'][number]['verdict']) =>
  verdict === 'clear' ? 'clear' : verdict === 'error' ? 'error' : 'unknown'
