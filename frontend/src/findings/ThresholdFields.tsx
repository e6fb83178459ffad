import { useEffect, useId, useMemo, useState } from 'react'
import type { Setting } from '../analysis/thresholds'
import type { ThresholdInForce } from '../api/types'
import button from '../ui/Button.module.css'
import { Cite } from '../ui/Cite'
import { exactly, thresholdUnit } from './bulletScale'
import { useCase } from './CaseContext'
import css from './ThresholdFields.module.css'

const STEPS = 1000

/** A number and a slider for each threshold; moving one decides the findings again at once. */
export function ThresholdFields({ settings }: { settings: readonly Setting[] }) {
  return settings.map((setting) => <ThresholdField key={setting.threshold.id} setting={setting} />)
}

function ThresholdField({ setting }: { setting: Setting }) {
  const { moveThreshold, titles } = useCase()
  const { threshold, value, given, changed, siteSays } = setting
  const id = useId()
  const entry = useMemo(() => entryOf(threshold), [threshold])
  const [text, setText] = useState(() => entry.show(value))
  const typed = entry.read(text)
  useEffect(() => {
    setText((old) => (entry.read(old) === value ? old : entry.show(value)))
  }, [value, entry])
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
          value={Math.round(positionOf(value, threshold) * STEPS)}
          aria-label={`${threshold.title}, slider`}
          aria-valuetext={exactly(value, thresholdUnit(threshold))}
          onChange={(event) => move(valueAt(Number(event.target.value) / STEPS, threshold))}
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
      <p className={css.from} id={`${id}from`}>
        <Cite
          document={threshold.source.document}
          section={threshold.source.section}
          rule={threshold.rule}
          title={[titles.get(threshold.source.document), threshold.source.says].filter(Boolean).join(': ')}
        />{' '}
        {siteSays ?? (threshold.source.document === 'project' ? 'no document gives a number' : '')}
      </p>
      {changed && (
        <p className={css.moved}>
          {threshold.source.document === 'project' ? 'The project’s' : 'The document’s'} number is{' '}
          {exactly(given, thresholdUnit(threshold))}.{' '}
          <button type="button" className={button.link} onClick={() => moveThreshold(threshold.id, null)}>
            Back to it
          </button>
        </p>
      )}
    </fieldset>
  )
}

/** How a threshold is typed: shares in per cent, bytes in the prefix of their default. */
export function entryOf(threshold: ThresholdInForce) {
  const [factor, unit] = entryUnit(threshold)
  return {
    unit,
    show: (value: number) => String(Number((value / factor).toPrecision(6))),
    read: (text: string): number | null => {
      const number = Number(text.replace(',', '.'))
      return text.trim() === '' || !Number.isFinite(number) || number < 0
        ? null
        : Number((number * factor).toPrecision(12))
    },
  }
}

function entryUnit(threshold: ThresholdInForce): readonly [number, string] {
  const unit = thresholdUnit(threshold)
  if (unit === 'share') return [0.01, '%']
  if (unit === 'ratio' || unit === '1') return [1, '×']
  if (unit !== 'B' && unit !== 'B/s') return [1, unit]
  const prefixes = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = Math.min(4, Math.max(0, Math.floor(Math.log2(Math.max(1, threshold.default)) / 10)))
  return [1024 ** step, `${prefixes[step]}${unit === 'B/s' ? '/s' : ''}`]
}

/** A logarithmic slider that begins at zero has its first thousandth at a millionth of its end. */
const lowest = (t: ThresholdInForce) => (t.minimum > 0 ? t.minimum : t.maximum / 1e6)

export function positionOf(value: number, t: ThresholdInForce): number {
  const share =
    t.scale === 'log'
      ? Math.log(Math.max(value, lowest(t)) / lowest(t)) / Math.log(t.maximum / lowest(t))
      : (value - t.minimum) / (t.maximum - t.minimum)
  return Math.min(1, Math.max(0, share))
}

/** Rounded to three digits, and to whole things where things are counted. */
export function valueAt(position: number, t: ThresholdInForce): number {
  if (position <= 0) return t.minimum
  if (position >= 1) return t.maximum
  const raw =
    t.scale === 'log'
      ? lowest(t) * (t.maximum / lowest(t)) ** position
      : t.minimum + position * (t.maximum - t.minimum)
  const counted = t.maximum > 20 && !['1', 's', 'B/s'].includes(t.unit)
  return counted ? Math.round(Number(raw.toPrecision(3))) : Number(raw.toPrecision(3))
}
