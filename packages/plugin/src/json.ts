/** Any JSON value, read-only. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object, read-only. */
export type JsonObject = { readonly [key: string]: Json }

/** A JSON Schema as it came from its author: nothing about it is trusted until the catalogue has checked it. */
export type JsonSchema = JsonObject

/** A value, or the promise of one. */
export type Maybe<T> = T | Promise<T>
