/** What `join` loads by name stands here as a whole: explored worlds and tests run the protocol without it. */
import { catalogue } from '@turnwise/algorithms/catalogue'
import { know } from '@turnwise/algorithms/texts'

know(catalogue)
