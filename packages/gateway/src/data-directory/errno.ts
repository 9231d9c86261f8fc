/** The system's name for what went wrong (`ENOENT`), when the system says so. */
export function errno(error: unknown): string | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
