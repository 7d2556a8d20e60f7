#!/usr/bin/env node
// Committed, because npm links no bin whose target is missing at install; the build comes after it.
import { main } from '../dist/bundle/turnwise.js'

process.exitCode = await main(process.argv.slice(2))
