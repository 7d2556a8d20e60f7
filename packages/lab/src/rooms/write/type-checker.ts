import ts from 'typescript'

/** A type that does not fit, and where: from one letter of the text to another. */
export interface TypeFault {
  readonly from: number
  readonly to: number
  readonly line: number
  readonly what: string
}

/** As in a clone, where `tsc` checks the same file. What is not used yet is no fault while somebody writes. */
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  types: [],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  strict: true,
  noEmit: true,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
}

const OWN = '/own.ts'
/** More would not be read. */
const MOST = 20

/** Checks the types of one text after another. `declared` are the declarations that it may use, by their path. */
export function typeChecker(declared: Readonly<Record<string, string>>): (text: string) => TypeFault[] {
  let [own, version] = ['', 0]
  const textOf = (path: string) => (path === OWN ? own : declared[path])
  const service = ts.createLanguageService({
    getCompilationSettings: () => OPTIONS,
    getScriptFileNames: () => [OWN],
    getScriptVersion: (path) => (path === OWN ? String(version) : '0'),
    getScriptSnapshot(path) {
      const text = textOf(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: () => '/lib/lib.es2023.d.ts',
    fileExists: (path) => textOf(path) !== undefined,
    readFile: textOf,
    resolveModuleNameLiterals: (names, containing) =>
      names.map(({ text: name }) => {
        const resolvedFileName = pathOf(name, containing)
        return declared[resolvedFileName] === undefined
          ? { resolvedModule: undefined }
          : { resolvedModule: { resolvedFileName, extension: ts.Extension.Dts } }
      }),
  })
  return (text) => {
    own = text
    version += 1
    const unreadable = service.getSyntacticDiagnostics(OWN)
    const found = unreadable.length > 0 ? unreadable : service.getSemanticDiagnostics(OWN)
    return found.slice(0, MOST).flatMap(({ file, start = 0, length = 0, messageText }) =>
      file === undefined
        ? []
        : [
            {
              from: start,
              to: start + length,
              line: file.getLineAndCharacterOfPosition(start).line + 1,
              what: ts.flattenDiagnosticMessageText(messageText, '\n'),
            },
          ],
    )
  }
}

/** The file of a module's declarations: of a package by its name, or beside the file that imports it. */
function pathOf(name: string, containing: string): string {
  const [, folder, rest] = /^@turnwise\/(core|algorithms)\/(.*)$/.exec(name) ?? []
  if (folder === 'core') return `/core/${rest}.d.ts`
  if (folder !== undefined) return `/algorithms/${rest?.startsWith('broken/') ? '' : 'src/'}${rest}.d.ts`
  return new URL(name.replace(/\.ts$/, '.d.ts'), `file://${containing}`).pathname
}
