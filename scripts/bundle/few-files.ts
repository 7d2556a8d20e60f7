/**
 * Programs in few files. Node takes longer to find and link two hundred small modules than to compile and run them, and a node that was
 * killed must be back before its lease has ended.
 */
import { fileURLToPath } from 'node:url'
import { type ChunkingContext, rolldown } from 'rolldown'

/** The files name their sources from here. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface Bundle {
  /** The source of each entry, by the name of the file that it becomes. */
  readonly entries: Readonly<Record<string, string>>
  /** Where the files go. */
  readonly folder: string
  /**
   * Sources that are loaded together, by the name of their file: these, and all that they import. A module goes into the first file that
   * it fits. Everything else is split as its entries and its imports on demand need it. An entry has a file of its own, since nobody could
   * import from it while it awaits something.
   */
  readonly together: Readonly<Record<string, readonly string[]>>
  /** Modules that stay where they are installed. */
  readonly external: readonly (string | RegExp)[]
  /** What the names of the other files begin with, so that two bundles fit into a folder. */
  readonly prefix?: string
}

/** Writes the bundle, and returns the modules in it. It is readable, but has no comments. */
export async function writeFewFiles(bundle: Bundle): Promise<readonly string[]> {
  const { entries, folder, external, together, prefix = '' } = bundle
  let files: ReadonlyMap<string, string> | null = null
  // A file takes along what its modules import, unless a file before it has that already.
  const groups = Object.keys(together).map((file, index, all) => ({
    debugName: file,
    priority: all.length - index,
    name: (id: string, graph: ChunkingContext) => {
      files ??= filesOf(bundle, graph)
      return files.get(id) === file ? file : null
    },
  }))
  const build = await rolldown({
    cwd: ROOT,
    input: entries,
    platform: 'node',
    external: [/^node:/, ...external],
    resolve: { conditionNames: ['turnwise-source', 'node', 'import'] },
    preserveEntrySignatures: 'allow-extension',
    checks: { ineffectiveDynamicImport: false },
  })
  try {
    const { output } = await build.write({
      dir: folder,
      format: 'esm',
      comments: false,
      entryFileNames: '[name].js',
      chunkFileNames: `${prefix}[name].js`,
      codeSplitting: { groups },
    })
    return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  } finally {
    await build.close()
  }
}

/** The file of each module that has one; the others are left to the bundler. */
function filesOf({ entries, together }: Bundle, graph: ChunkingContext): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const apart = Object.values(entries)
  for (const [file, sources] of Object.entries(together)) {
    const found = new Set(sources)
    for (const id of found) {
      if (!files.has(id) && !apart.includes(id)) files.set(id, file)
      for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported)
    }
  }
  return files
}
