/** Returns the code of a system error, for example `ENOENT`, or undefined for an error without a code. */
export function errno(error: unknown): string | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
