import type { HeatmapView } from '../requests'

/** A view of which no time is after `end_s`, the end of the run, or of the last bin with bytes where that is later. The
 * last bin may end after it: "to 12 min 10 s", of a run of 12 min 7 s. */
export function untilTheEnd(view: HeatmapView, end_s: number): HeatmapView {
  const until = (to_s: number) => Math.min(to_s, end_s)
  return {
    ...view,
    to_s: until(view.to_s),
    busiest_times: view.busiest_times.map((time) => ({ ...time, to_s: until(time.to_s) })),
  }
}
