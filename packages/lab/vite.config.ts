import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { glossaryPlugin } from './glossary.ts'

/** The page is built from the sources of every package, and can be served from any path. */
export default defineConfig({
  base: './',
  plugins: [react(), glossaryPlugin()],
  resolve: { conditions: ['turnwise-source', 'module', 'browser', 'development|production'] },
  build: { outDir: 'dist/page', target: 'es2023' },
  worker: { format: 'es' },
})
