/** The file by which a command finds the door of a daemon: what `connect` takes, in JSON. */
import { dirname, resolve } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type DoorOptions, farDaemon } from '@turnwise/mesh/daemon/far'
import type { Far } from '@turnwise/mesh/daemon/line-client'
import { isPem } from '@turnwise/mesh/security/security'
import { isObject, unknownOption } from '@turnwise/mesh/transport/checks'
import { inFile, readJson } from '../terminal/input.ts'

const FIELDS: readonly string[] = ['door', 'client', 'token', 'tls'] satisfies (keyof DoorOptions)[]

/** Paths in it are seen from where the file is. */
export function readDoorFile(file: string): Far {
  const content = readJson(file)
  return inFile(file, () => {
    if (!isObject(content)) throw new InvalidInput(`it is not an object with some of ${FIELDS.join(', ')}`)
    const unknown = Object.keys(content).find((name) => !FIELDS.includes(name))
    if (unknown !== undefined) throw new InvalidInput(unknownOption(unknown, 'this file', FIELDS))
    const { tls, ...others } = content as unknown as DoorOptions
    return farDaemon({ ...others, ...(tls !== undefined && { tls: isObject(tls) ? seen(tls, file) : tls }) })
  })
}

function seen(tls: Record<string, unknown>, file: string): object {
  const here = ([name, given]: [string, unknown]): [string, unknown] =>
    name === 'servername' || typeof given !== 'string' || given === '' || isPem(given)
      ? [name, given]
      : [name, resolve(dirname(file), given)]
  return Object.fromEntries(Object.entries(tls).map(here))
}
