import { EXPLANATIONS } from '../ui/explanations'
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
        The field's words as these pages use them. They are underlined where they are said, and explain
        themselves there too.
      </p>
      <dl className={css.terms}>
        {terms.map(({ id, term }) => {
          const { text, source } = EXPLANATIONS[id]
          return (
            <div key={id} id={id}>
              <dt>{term}</dt>
              <dd>
                {text}
                {source && (
                  <small>
                    <a href={source.url} rel="noreferrer">
                      {source.title}
                    </a>
                  </small>
                )}
              </dd>
            </div>
          )
        })}
      </dl>
    </div>
  )
}
