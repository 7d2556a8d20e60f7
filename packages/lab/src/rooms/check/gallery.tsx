import { citation } from '../../run/citation.ts'
import { variants } from '../../run/spec.ts'
import { variantTitle } from '../../run/variant-title.ts'
import type { Query } from '../../shell/address.ts'
import { queryOf } from '../checking/check-question.ts'
import { violatingAddress } from '../theatre/broken-rule.tsx'

/** Rules that fail. Breaking a rule shows what it is for. */
export function Gallery({ chosen, onCheck }: { chosen: string | null; onCheck: (query: Query) => void }) {
  const published = variants.filter(({ published: where }) => where !== null)
  const slips = variants.filter(({ published: where }) => where === null)
  return (
    <section aria-label="Gallery of broken rules">
      <h2>Find out why the rule is there</h2>
      <p>
        In each of these one rule is broken. Choose one, and the checker finds the shortest run that fails.
      </p>
      {[
        { title: `Rules as they were published (${published.length})`, list: published },
        { title: `Mistakes that show what a rule is for (${slips.length})`, list: slips },
      ].map(({ title, list }) => (
        <div key={title}>
          <h3>{title}</h3>
          <ul className="check-gallery">
            {list.map((variant) => {
              const { name } = variant.algorithm.facts
              return (
                <li key={name} aria-current={name === chosen ? 'true' : undefined}>
                  <button type="button" title={name} onClick={() => onCheck(queryOf(variant))}>
                    {variantTitle(variant)}
                  </button>
                  <p>
                    {variant.rule} <a href={violatingAddress(variant)}>Watch it fail in the theatre</a>
                    {variant.takesLong === true && ' (the search takes a minute or more)'}
                  </p>
                  {variant.published !== null && (
                    <p className="check-source">{citation(variant.published)}</p>
                  )}
                </li>
              )
            })}
          </ul>
        </div>
      ))}
    </section>
  )
}
