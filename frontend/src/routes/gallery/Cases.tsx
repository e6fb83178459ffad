import { saidOf } from '../../analysis/headline'
import { ChartGrid } from '../../charts/frame/Charts'
import { LinkedProvider } from '../../charts/frame/linked'
import type { Named } from '../../fixtures/named'
import { Overview } from '../../overview/Overview'
import section from '../../ui/Section.module.css'

/** All charts of each document. */
export function Cases({ of }: { of: readonly Named[] }) {
  return of.map(([title, document]) => (
    <section key={title} aria-label={title}>
      <div className={section.row}>
        <h2>{title}</h2>
        <p>{saidOf(document.headline)}</p>
      </div>
      <LinkedProvider>
        <Overview document={document} />
        <ChartGrid document={document} />
      </LinkedProvider>
    </section>
  ))
}
