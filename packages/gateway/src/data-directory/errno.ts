/** Returns the system's name of an error, for example `ENOENT`, or undefined without a name. */
export function errno(error: unknown): string | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
