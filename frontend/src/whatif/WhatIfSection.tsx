import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useId, useRef, useState } from 'react'
import { useWidth } from '../charts/frame/useWidth'
import { useCase } from '../findings/CaseContext'
import { Choice } from '../timeline/Choice'
import button from '../ui/Button.module.css'
import { Command } from '../ui/Command'
import { Cite } from '../ui/cite/Cite'
import section from '../ui/Section.module.css'
import { Explained } from '../ui/Term'
import { useStillOnPage } from '../ui/useStillOnPage'
import { Curve, FIRST, LAST } from './Curve'
import { chosenOf, inAddress, stopsOf, type WhatIf } from './chosen'
import { outcome, QUANTITIES, reasons, STEPS, settingWords, stepOf, stopAt, tickWords } from './stops'
import { TimeBar } from './TimeBar'
import css from './WhatIf.module.css'

const route = getRouteApi('/cases/$caseId')

/** A setting that can be moved along its measured curve, with the effect on the time. */
export default function WhatIfSection() {
  const { document } = useCase()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/cases/$caseId' })
  const stillHere = useStillOnPage()
  const heading = useId()
  const chosen = chosenOf(document.what_if, search.whatif)
  if (!chosen) return null
  const choose = (one: WhatIf, value: number) =>
    stillHere() &&
    navigate({
      search: (old) => ({ ...old, whatif: inAddress(one, value) }),
      replace: true,
      resetScroll: false,
      hashScrollIntoView: false,
    })
  const { one, value } = chosen
  return (
    <section aria-labelledby={heading}>
      <div className={section.row}>
        <h2 id={heading}>
          What if it had {settingWords(one.quantity, value)}
          {value === one.now ? ', as it has' : ''}?
        </h2>
        <p>one setting moved along what was measured of it; all others stay the job's</p>
      </div>
      <div className={css.tools}>
        <Choice
          name="Setting"
          value={String(document.what_if.indexOf(one))}
          options={document.what_if.map((other, i) => [String(i), nameOf(other, document.what_if)] as const)}
          onChange={(index) => {
            const other = document.what_if[Number(index)]
            const opened = other && chosenOf([other], undefined)
            if (opened) choose(other, opened.value)
          }}
        />
      </div>
      <Chosen key={inAddress(one, 0)} one={one} value={value} onChoose={(next) => choose(one, next)} />
    </section>
  )
}

/** Half a slider's thumb, whose middle stands at the value. */
const HALF_THUMB = 8

/** What stands for each of the reasons in the drawings: the least, a job at its own distance, the most. */
const MARKS = [css.leastMark, css.alikeMark, css.mostMark]

/** The group is named where several have the same setting. */
function nameOf(one: WhatIf, all: readonly WhatIf[]): string {
  const alike = all.filter((other) => other.quantity === one.quantity)
  const of = alike.length > 1 ? `, ${one.direction === 'write' ? 'writing' : 'reading'} ${one.name}` : ''
  return `${QUANTITIES[one.quantity]}${of}`
}

function Chosen({ one, value, onChoose }: { one: WhatIf; value: number; onChoose: (value: number) => void }) {
  const { cited } = useCase()
  const [room, width] = useWidth<HTMLDivElement>()
  const [proving, setProving] = useState(false)
  const lines = useId()
  const stops = stopsOf(one)
  const choice = stops.find((stop) => stop.value === value)?.choice ?? null
  const held = useRef(false)
  return (
    <>
      <p className={css.outcome} role="status">
        <Explained>{outcome(one, choice)}</Explained>
      </p>
      <div ref={room} className={css.plot}>
        <div aria-hidden="true">
          <Curve one={one} value={value} width={width} onChoose={onChoose} />
        </div>
        <label className={css.slider}>
          <span>
            {QUANTITIES[one.quantity]} <b>{tickWords(one.quantity, value)}</b>
          </span>
          <input
            type="range"
            min={0}
            max={STEPS}
            step={1}
            value={stepOf(stops, value)}
            style={{ marginInline: `${FIRST - HALF_THUMB}px ${LAST - HALF_THUMB}px` }}
            aria-valuetext={settingWords(one.quantity, value)}
            onPointerDown={() => {
              held.current = true
            }}
            onPointerUp={() => {
              held.current = false
            }}
            onPointerCancel={() => {
              held.current = false
            }}
            onChange={(event) => onChoose(stopAt(stops, value, Number(event.target.value), held.current))}
          />
        </label>
        <div aria-hidden="true">
          <TimeBar one={one} choice={choice} width={width} />
        </div>
      </div>
      {choice && (
        <ul className={`${css.reasons} ${one.direction === 'write' ? css.write : css.read}`}>
          {reasons(one, choice).map((words, i) => (
            <li key={words}>
              <i className={MARKS[i]} aria-hidden="true" />
              {words}
            </li>
          ))}
        </ul>
      )}
      <p className={css.source}>
        {one.site_title}, {one.file_system_title}
        {one.measured && `, measured ${one.measured}`}
        {one.document && (
          <>
            : <Cite document={one.document} section={one.section} of={cited.get(one.document)} />
          </>
        )}
        {!one.document && '.'}
        {one.retired && ' The system is retired: its figures are a documented example.'}
        {choice &&
          !choice.documented &&
          ' Between two documented values the line is interpolated, on logarithmic scales.'}
      </p>
      {choice?.script ? (
        <p>
          <button
            type="button"
            className={button.button}
            aria-expanded={proving}
            aria-controls={lines}
            onClick={() => setProving(!proving)}
          >
            Prove it
          </button>{' '}
          <span className="soft small">
            {settingWords(one.quantity, value)} beside the job as it was
            {one.cost !== null && `; at full length ${one.cost}, and less in a shortened run`}
          </span>
        </p>
      ) : (
        choice && (
          <p className="soft small">
            {one.quantity === 'processes'
              ? 'To prove it, start the same run with so many processes: the launch line is yours.'
              : 'To prove it takes another build or input of the program: the size of its transfers is its own.'}
          </p>
        )
      )}
      <div id={lines} className={css.lines}>
        {proving && choice?.script && <Command text={choice.script} />}
      </div>
    </>
  )
}
