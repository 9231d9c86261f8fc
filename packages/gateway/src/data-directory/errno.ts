/** The system's name of an error (`ENOENT`), if it has one. */
export function errno(error: unknown): string | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
