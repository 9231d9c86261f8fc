/** Encodes milliseconds since the epoch as RFC 3339. */
export function toTime(ms: number): string {
	return new Date(ms).toISOString();
}
