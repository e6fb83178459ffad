import { GLOSSARY } from '../ui/glossary'
import shell from '../ui/Shell.module.css'
import css from './Glossary.module.css'

/** Every term that the pages explain on hover, in one place. */
export function Glossary() {
  const terms = [...GLOSSARY].sort((a, b) => a.term.localeCompare(b.term, 'en', { sensitivity: 'base' }))
  return (
    <div className={shell.wrap}>
      <title>Glossary · IOtriage</title>
      <h1>Glossary</h1>
      <p className={shell.lead}>
        The field’s words as these pages use them. They are underlined where they are said, and explain
        themselves there too.
      </p>
      <dl className={css.terms}>
        {terms.map((term) => (
          <div key={term.id} id={term.id}>
            <dt>{term.term}</dt>
            <dd>
              {term.text}
              {term.source && (
                <small>
                  <a href={term.source.url} rel="noreferrer">
                    {term.source.title}
                  </a>
                </small>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
