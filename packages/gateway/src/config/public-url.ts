/** Public origin of the gateway. Undefined for an invalid one: not https, or more than a host and a port. */
export function parsePublicUrl(text: string): URL | undefined {
	const url = URL.parse(text);
	const isOrigin = url?.protocol === "https:" && url.hostname !== "" && url.href === `${url.origin}/`;
	// The parsed form of `https://host/?` is the same as without the question mark.
	return isOrigin && !/[?#]/.test(text) ? url : undefined;
}
