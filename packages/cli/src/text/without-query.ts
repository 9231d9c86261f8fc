/** An address without its query and fragment, which may have secrets. */
export function withoutQuery(url: string): string {
	return url.replace(/[?#].*$/s, "");
}
