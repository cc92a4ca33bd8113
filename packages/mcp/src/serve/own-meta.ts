/** Begins the `_meta` keys that only we write: those of servers and clients are dropped. */
export const ownMetaPrefix = 'rollcall/'
