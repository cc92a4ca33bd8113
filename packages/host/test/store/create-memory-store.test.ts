import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createKeyRing } from '../../src/store/sealing/key-ring.ts'
import { sealStore } from '../../src/store/sealing/seal-store.ts'
import { describeStore } from './store-contract.ts'

describeStore('memory store', async (clock) => createMemoryStore({ clock }))

describeStore(
  'sealed memory store',
  (clock) => sealStore(createMemoryStore({ clock }), createKeyRing('1'.repeat(64))),
  { sealed: true },
)
