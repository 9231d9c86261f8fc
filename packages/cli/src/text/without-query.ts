/** Returns an address without its query and fragment, which may contain secrets. */
export function withoutQuery(url: string): string {
	return url.replace(/[?#].*$/s, "");
}
