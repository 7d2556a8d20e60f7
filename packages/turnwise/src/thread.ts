/**
 * The lease thread, a program of its own, for services that are bundled: build it as `thread.js` beside the service. A program never
 * imports it.
 *
 * ```sh
 * esbuild service=service.js thread=turnwise/thread --bundle --platform=node --format=esm --outdir=out
 * ```
 */
// oxlint-disable-next-line import/no-unassigned-import -- it is a program: it runs when it is loaded
import '@turnwise/mesh/lease/thread'
