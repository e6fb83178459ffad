import type { HeatmapView } from '../requests'

/** A view whose times end with the run, as the last bin may end after it: a run of 12 min 7 s moves nothing until
 * 12 min 10 s. `end_s` is that of the run, or of the last bin with bytes where that is later. */
export function untilTheEnd(view: HeatmapView, end_s: number): HeatmapView {
  const until = (to_s: number) => Math.min(to_s, end_s)
  return {
    ...view,
    to_s: until(view.to_s),
    busiest_times: view.busiest_times.map((time) => ({ ...time, to_s: until(time.to_s) })),
  }
}
