/** How a question is called on the command line: the last characters of its token. */
export function shortCode(token: string): string {
	return token.slice(-6);
}
