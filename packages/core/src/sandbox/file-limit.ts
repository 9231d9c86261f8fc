/** Shell command that limits the size of written files. Bash counts KiB, other shells halves of a KiB. */
export function limitFiles(bytes: number, isBash: boolean): string {
	return `ulimit -f ${Math.max(1, Math.floor(bytes / (isBash ? 1024 : 512)))}`;
}
