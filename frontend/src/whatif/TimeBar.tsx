import { scaleLinear } from 'd3-scale'
import { Axis } from '../charts/frame/Axis'
import marks from '../charts/frame/marks.module.css'
import { secondTicks } from '../charts/frame/secondTicks'
import { textWidth } from '../charts/frame/text'
import { between, format } from '../format'
import type { Choice, WhatIf } from './chosen'
import css from './WhatIf.module.css'

const LEFT = 78
const RIGHT = 16
const ROW = 22
const BASE = 2 * ROW + 8
const RING = 5

/** The present time, and the bounds with the chosen setting, on one scale for all choices. */
export function TimeBar({ one, choice, width }: { one: WhatIf; choice: Choice | null; width: number }) {
  const longest = Math.max(one.now_s, ...one.choices.map((each) => each.most_s))
  const x = scaleLinear([0, longest], [LEFT, width - RIGHT]).nice(5)
  const ticks = secondTicks(x, width < 480 ? 3 : 5)
  return (
    <svg
      className={one.direction === 'write' ? css.write : css.read}
      viewBox={`0 0 ${width} ${BASE + 22}`}
      height={BASE + 22}
    >
      <title>Time now, and with the setting chosen</title>
      <Axis
        side="bottom"
        edge={BASE}
        scale={x}
        ticks={ticks}
        line={[LEFT, width - RIGHT]}
        room={[0, width]}
      />
      <text x={LEFT - 8} y={16} textAnchor="end">
        now
      </text>
      <rect className={css.now} x={LEFT} y={5} width={Math.max(2, x(one.now_s) - LEFT)} height={ROW - 8} />
      <Value after={x(one.now_s)} y={16} width={width}>
        {format(one.now_s, 's')}
      </Value>
      {choice && (
        <>
          <text x={LEFT - 8} y={16 + ROW} textAnchor="end">
            then
          </text>
          <rect
            className={css.sure}
            x={LEFT}
            y={5 + ROW}
            width={Math.max(1, x(choice.least_s) - LEFT)}
            height={ROW - 8}
          />
          <rect
            className={css.bounds}
            x={x(choice.least_s)}
            y={5 + ROW}
            width={Math.max(2, x(choice.most_s) - x(choice.least_s))}
            height={ROW - 8}
          />
          {choice.alike_s !== null && (
            <circle className={css.alike} cx={x(choice.alike_s)} cy={ROW + 12} r={RING} />
          )}
          <Value
            after={Math.max(x(choice.most_s), choice.alike_s === null ? 0 : x(choice.alike_s) + RING)}
            y={16 + ROW}
            width={width}
          >
            {between(choice.least_s, choice.most_s)}
          </Value>
        </>
      )}
    </svg>
  )
}

/** Behind the end of a bar, where there is room: the sentence above has it too, and over a bar it could not be read. */
function Value({ after, y, width, children }: { after: number; y: number; width: number; children: string }) {
  if (after + textWidth(children, 12) + 10 > width) return null
  return (
    <text className={marks.strong} x={after + 6} y={y}>
      {children}
    </text>
  )
}
