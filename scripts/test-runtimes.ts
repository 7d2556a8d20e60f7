/**
 * `npm run test:runtimes`: on every runtime that docs/runtimes.md names, a program with the packed library takes a lock, as ES
 * module and as CommonJS; and the suite of the Web Locks API passes. It downloads the runtimes when it is run first.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { compileConsumers, mustTakeTurns, run } from './packages/consumers.ts'
import { emptyProject, install, RegistryOutOfReach, root } from './packages/npm.ts'
import { type Runtime, runtimes } from './packages/runtimes.ts'
import { packAll, withOurs } from './packages/tarballs.ts'

const TESTS = ['packages/mesh/test/web-locks', 'packages/mesh/test/lease/one-clock.test.ts']

function check({ name, command }: Runtime, programs: readonly string[]): void {
  for (const program of programs) mustTakeTurns(command, program)
  const [binary, ...options] = command
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const said = run(binary, [...options, vitest, 'run', ...TESTS], root)
  const count = /^\d+ passed, 0 failed, \d+ skipped$/m.exec(said)?.[0]
  if (count === undefined) throw new Error(`the tests did not tell how they ended on ${name}:\n${said}`)
  process.stdout.write(`ok  ${name}: takes locks by import and by require; Web Locks: ${count}\n`)
}

function main(folders: string[]): void {
  const [packs, project] = [emptyProject(), emptyProject()]
  folders.push(packs, project)
  const types = '@types/node@20.19.43'
  install(project, [...withOurs(packAll(packs), 'turnwise').map(({ tarball }) => tarball), types])
  const { esm, commonjs } = compileConsumers(project)
  for (const runtime of runtimes()) check(runtime, [esm, commonjs])
}

const folders: string[] = []
try {
  main(folders)
} catch (error) {
  if (error instanceof RegistryOutOfReach) process.stdout.write(`skipped the rest: ${error.message}\n`)
  else {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
