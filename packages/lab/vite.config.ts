import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'
import { assumptionsPlugin } from './assumptions.ts'
import { contractTypesPlugin } from './contract-types.ts'
import { documentsPlugin } from './documents.ts'
import { glossaryPlugin } from './glossary.ts'
import { offlinePlugin } from './offline.ts'
import { probesPlugin } from './probes.ts'
import { sandboxPlugin } from './sandbox.ts'
import { silentPlugin } from './silent.ts'

/** The page is built from the sources of every package, and can be served from any path. During development it stands where the site has it. */
export default defineConfig(({ command, isPreview }) => ({
  base: command === 'serve' && isPreview !== true ? '/lab/' : './',
  plugins: [
    react(),
    glossaryPlugin(),
    assumptionsPlugin(),
    silentPlugin(),
    sandboxPlugin(),
    probesPlugin(),
    firstRoomPlugin(),
    offlinePlugin(),
    documentsPlugin(),
  ],
  resolve: { conditions: ['turnwise-source', 'module', 'browser', 'development|production'] },
  build: { outDir: 'dist/page', target: 'es2023' },
  worker: { format: 'es', plugins: () => [probesPlugin(), contractTypesPlugin()] },
}))

/** The first room is loaded when the page knows that it is asked for; the browser is told to fetch it before. */
function firstRoomPlugin(): Plugin {
  return {
    name: 'turnwise-first-room',
    transformIndexHtml(_, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const room = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('rooms/theatre/theatre.tsx'))
      const entries = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
      return [room?.fileName, ...(room?.imports ?? [])]
        .filter((file) => file !== undefined && !entries.has(file))
        .map(
          (file): HtmlTagDescriptor => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: '', href: `./${file}` },
            injectTo: 'head',
          }),
        )
    },
  }
}
