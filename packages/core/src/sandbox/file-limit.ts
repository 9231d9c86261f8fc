/** For a shell, before it becomes a command: how large a file it may write. Others than bash count halves of a KiB. */
export function limitFiles(bytes: number, isBash: boolean): string {
	return `ulimit -f ${Math.max(1, Math.floor(bytes / (isBash ? 1024 : 512)))}`;
}
