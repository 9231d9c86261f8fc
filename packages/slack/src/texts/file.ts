/** Error of reading an attached file, which the person who attached it sees. */
export const fileTexts = {
	noAccess: 'cannot read the file: give the app the scope "files:read"',
} as const;
