/** The text as every engine stores it: PostgreSQL stores no NUL, and no half of a surrogate pair. */
export function storable(text: string): string {
	return text.toWellFormed().replaceAll("\0", "\u{fffd}");
}
