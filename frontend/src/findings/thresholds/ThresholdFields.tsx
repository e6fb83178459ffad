import { memo, useId, useMemo, useState } from 'react'
import type { Setting } from '../../analysis/thresholds'
import { exactly } from '../../format'
import button from '../../ui/Button.module.css'
import { Cite } from '../../ui/cite/Cite'
import { useCase } from '../CaseContext'
import css from './ThresholdFields.module.css'
import { entryOf, STEPS, slidTo, stepOf } from './thresholdInput'

/** A number and a slider for each threshold; moving one decides the findings again at once. */
export function ThresholdFields({ settings }: { settings: readonly Setting[] }) {
  return (
    <>
      {settings.map((setting) => (
        <ThresholdField key={setting.threshold.id} setting={setting} />
      ))}
      {settings.some(isOurs) && <p className={css.ours}>project: our number, as no document gives one</p>}
    </>
  )
}

const isOurs = ({ threshold, siteSays }: Setting) =>
  threshold.stated_by.document === 'project' && siteSays === null

const ThresholdField = memo(function ThresholdField({ setting }: { setting: Setting }) {
  const { moveThreshold, cited, document } = useCase()
  const { threshold, value, given, changed, siteSays } = setting
  // What several rules share is on the page of none.
  const ofOne = document.findings.some((finding) => finding.rule === threshold.rule)
  const id = useId()
  const entry = useMemo(() => entryOf(threshold, given), [threshold, given])
  const [text, setText] = useState(() => entry.show(value))
  const typed = entry.read(text)
  const [shown, setShown] = useState({ value, entry })
  if (shown.value !== value || shown.entry !== entry) {
    setShown({ value, entry })
    // It was moved elsewhere; what is typed here is left as it is written.
    if (typed !== value) setText(entry.show(value))
  }
  const move = (next: number) => moveThreshold(threshold.id, next === given ? null : next)
  return (
    <fieldset className={css.field}>
      <label className={css.label} htmlFor={id}>
        {threshold.title}
      </label>
      <div className={css.controls}>
        <input
          type="range"
          min={0}
          max={STEPS}
          value={stepOf(value, threshold)}
          aria-label={`${threshold.title}, slider`}
          aria-valuetext={exactly(value, threshold.unit)}
          onChange={(event) => move(slidTo(Number(event.target.value), value, threshold))}
        />
        <input
          id={id}
          type="text"
          inputMode="decimal"
          autoComplete="off"
          value={text}
          aria-invalid={typed === null}
          aria-describedby={`${id}from`}
          onChange={(event) => {
            setText(event.target.value)
            const number = entry.read(event.target.value)
            if (number !== null) move(number)
          }}
          onBlur={() => setText(entry.show(value))}
        />
        <span className={css.unit}>{entry.unit}</span>
      </div>
      {typed === null && (
        <p className={css.moved} role="alert">
          A number{entry.unit && ` in ${entry.unit}`}, from {entry.takes}; until then it is{' '}
          {exactly(value, threshold.unit)}.
        </p>
      )}
      {typed !== null && typed > 0 && Number(text.replace(',', '.')) === 0 && (
        <p className={css.moved} role="status">
          {exactly(typed, threshold.unit)} is the least it can be, and what 0 stands for.
        </p>
      )}
      <p className={css.from} id={`${id}from`}>
        <Cite
          document={threshold.stated_by.document}
          section={threshold.stated_by.section}
          {...(ofOne && { rule: threshold.rule })}
          of={cited.get(threshold.stated_by.document)}
          says={threshold.stated_by.says}
        />{' '}
        {siteSays}
      </p>
      {changed && (
        <p className={css.moved}>
          {threshold.stated_by.document === 'project' ? "The project's" : "The document's"} number is{' '}
          {exactly(given, threshold.unit)}.{' '}
          <button type="button" className={button.link} onClick={() => moveThreshold(threshold.id, null)}>
            Back to it
          </button>
        </p>
      )}
    </fieldset>
  )
})
