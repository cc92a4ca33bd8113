import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { describeStore } from './store-contract.ts'

describeStore('memory store', async (clock) => createMemoryStore({ clock }))
