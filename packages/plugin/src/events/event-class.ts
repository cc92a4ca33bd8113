/** An event is a class of this package, recognised by its `type` and never by instanceof. */
export interface EventClass<E> {
  readonly type: string
  readonly prototype: E
}
