import { configureGlobal } from 'fast-check'
import { chai } from 'vitest'

/**
 * Properties draw from a fixed seed, so that a run of the tests is the same run everywhere and always. To look
 * further, give another: `PROPERTY_SEED=42 npm test`. A failing property prints the seed and the path that replay it.
 */
configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1981) })

/** To notice a misspelt assertion when it runs takes a quarter of the time of every `expect`, and the compiler notices it. */
chai.config.useProxy = false
