import { type ReactNode, useState } from 'react'
import { saidOf } from '../../analysis/headline'
import { ChartGrid } from '../../charts/frame/Charts'
import { type Link, LinkedProvider } from '../../charts/frame/linked'
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
      <Pressing>
        <Overview document={document} />
        <ChartGrid document={document} />
      </Pressing>
    </section>
  ))
}

/** Here no address keeps what is pressed. */
function Pressing({ children }: { children: ReactNode }) {
  const [pressed, press] = useState<Link | null>(null)
  return (
    <LinkedProvider pressed={pressed} onPress={press}>
      {children}
    </LinkedProvider>
  )
}
