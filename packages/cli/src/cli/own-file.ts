/** Algorithms in files of their own. What reads them is loaded when a name is a file. */
import { resolve, sep } from 'node:path'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { LoadModule } from '@turnwise/workshop/own-algorithm'
import { given, readText } from '../terminal/input.ts'
import { protocolOrVariantNamed } from './algorithm-names.ts'

export function isFile(name: string): boolean {
  return /\.[cm]?[jt]s$|[/\\]/.test(name)
}

/** Whatever can be checked, by its name or from its file. */
export async function protocolFor(name: string): Promise<AnyProtocol> {
  if (!isFile(name)) return given('ALGORITHM', name, () => protocolOrVariantNamed(name))
  const text = readText(name)
  try {
    const { ownAlgorithm } = await import('@turnwise/workshop/own-algorithm')
    return (await ownAlgorithm(await standing(text, name), loadModule)).algorithm
  } catch (error) {
    throw await errorIn(name, error)
  }
}

/** In a clone a file of the catalogue imports its neighbours. */
async function standing(text: string, path: string): Promise<string> {
  const place = resolve(path).split(sep).join('/')
  const [, folder] = /\/algorithms\/(src\/[a-z]+|broken|innocent)\/[^/]+$/.exec(place) ?? []
  if (folder === undefined) return text
  const { standingAlone } = await import('@turnwise/workshop/own-algorithm')
  return standingAlone(text, folder)
}

export const loadModule: LoadModule = (module) =>
  import(module).catch((error: NodeJS.ErrnoException) => {
    if (['ERR_MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED'].includes(error.code ?? '')) return null
    throw error
  })

/** What a file did wrong, with its name and the line; where no file is asked for, the error as it is. */
export async function errorIn(name: string, error: unknown): Promise<unknown> {
  if (!isFile(name)) return error
  const { thrownBy } = await import('@turnwise/workshop/own-algorithm')
  const { message } = error instanceof InvalidInput ? error : thrownBy(error)
  return new InvalidInput(`${name}: ${message}`, { cause: error })
}
