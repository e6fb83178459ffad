import { useState } from 'react'
import button from '../ui/Button.module.css'
import { Command } from '../ui/Command'
import section from '../ui/Section.module.css'
import { useCase } from './CaseContext'
import css from './NextRunSection.module.css'

/** Experiments that would confirm or refute each cause, as lines for the job script. */
export function NextRunSection() {
  const { document } = useCase()
  const [chosen, setChosen] = useState<string | null>(null)
  const experiments = document.next_run?.experiments ?? []
  const shown = experiments.find((e) => e.rule === chosen)
  if (experiments.length === 0) return null
  return (
    <section className="screen" aria-labelledby="next-run">
      <div className={section.row}>
        <h2 id="next-run">Prove it: the next run</h2>
        <p>the job as it was beside the job with the fix, in turn, with the statistics switched on</p>
      </div>
      <ul className={css.experiments}>
        {experiments.map((experiment) => (
          <li key={experiment.rule}>
            <button
              type="button"
              className={button.button}
              aria-expanded={experiment === shown}
              aria-controls="next-run-lines"
              onClick={() => setChosen(experiment === shown ? null : experiment.rule)}
            >
              {experiment.title}
            </button>
          </li>
        ))}
      </ul>
      <div id="next-run-lines" className={css.lines}>
        {shown && (
          <>
            <p className="soft">
              Lines for the job script.{shown.cost !== null && ` They cost ${shown.cost}.`}
              {shown.changes_program &&
                ' B is another build of the program, with the change in the comments.'}
            </p>
            <Command text={shown.script} />
            <dl className={css.result}>
              <dt>confirmed</dt>
              <dd>if {shown.confirmed_if}</dd>
              <dt>refuted</dt>
              <dd>if {shown.refuted_if}</dd>
              <dt>send back</dt>
              {document.next_run?.send_back.map((what) => (
                <dd key={what}>{what}</dd>
              ))}
              <dt>or compare</dt>
              <dd>
                where they are: <code>{shown.comparing}</code>
              </dd>
            </dl>
          </>
        )}
      </div>
    </section>
  )
}
