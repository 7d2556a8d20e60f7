import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The page is built from the sources of every package, and can be served from any path. */
export default defineConfig({
  base: './',
  plugins: [react()],
  resolve: { conditions: ['turnwise-source', 'module', 'browser', 'development|production'] },
  build: { outDir: 'dist/page', target: 'es2023' },
  worker: { format: 'es' },
})
