import type { Chart } from './frame/chart'

/** Every chart of this folder, in the order a case shows them: adding a file adds a chart. */
const modules = import.meta.glob<{ chart: Chart }>(['./*.tsx', '!./*.test.tsx'], { eager: true })

export const CHARTS: readonly Chart[] = Object.values(modules)
  .map((module) => module.chart)
  .sort((a, b) => a.order - b.order)
