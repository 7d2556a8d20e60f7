/**
 * `npm run site` writes the site into `dist/site`: the documents, a page for each algorithm, and the lab. `--without-lab` leaves the lab out,
 * for `npm run lab`, which serves it from its sources. A link that leads nowhere fails the build.
 */
import { parseArgs } from 'node:util'
import { SiteError, writeSite } from './site/write.ts'

try {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: 'dist/site' },
      'without-lab': { type: 'boolean', default: false },
    },
  })
  const { documents, algorithms, files } = await writeSite(values.out, !values['without-lab'])
  process.stdout.write(
    `${values.out}: ${documents} documents, ${algorithms} algorithms, ${files.size} files; all links lead somewhere\n`,
  )
} catch (error) {
  const isUsage = error instanceof TypeError && 'code' in error
  if (!(error instanceof SiteError || isUsage)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = isUsage ? 2 : 1
}
