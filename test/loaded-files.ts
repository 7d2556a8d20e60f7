import { Program } from '@turnwise/fleet/program'

/** In the loader's own thread: names every file that is loaded. */
const HOOK = `import { writeSync } from 'node:fs'
export async function load(url, context, next) {
  if (url.startsWith('file:')) writeSync(2, 'loads ' + url + '\\n')
  return next(url, context)
}`
const REGISTER = `import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(HOOK)}))`

/** The addresses of all files that Node loads as modules when it runs these arguments, and what the program prints. */
export async function filesLoadedBy(
  args: readonly string[],
): Promise<{ readonly files: readonly string[]; readonly out: string }> {
  const hook = `data:text/javascript,${encodeURIComponent(REGISTER)}`
  const { out, err } = await new Program(['--import', hook, ...args]).ended
  return { files: [...err.matchAll(/^loads (.*)$/gm)].map(([, url = '']) => url), out }
}
