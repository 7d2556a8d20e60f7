import { createRoot } from 'react-dom/client'
import './design/tokens.css'
import './design/base.css'
import { keepForOffline } from './shell/offline.ts'
import { Shell } from './shell.tsx'

const page = document.getElementById('page')
if (page !== null) createRoot(page).render(<Shell />)
keepForOffline()
