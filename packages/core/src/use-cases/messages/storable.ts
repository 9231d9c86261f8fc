/** Returns the text in a form that every database engine can store. PostgreSQL stores neither NUL nor lone surrogates. */
export function storable(text: string): string {
	return text.toWellFormed().replaceAll("\0", "\u{fffd}");
}
