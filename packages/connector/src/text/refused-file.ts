const units = ["bytes", "KB", "MB", "GB"] as const;

/** Size in binary units, as platforms name their limits: `30 MB`. */
function sizeText(bytes: number): string {
	let [size, unit] = [bytes, 0];
	while (size >= 1024 && unit < units.length - 1) [size, unit] = [size / 1024, unit + 1];
	const shown = Number.isInteger(size) || size >= 10 ? Math.round(size) : Math.round(size * 10) / 10;
	return `${shown} ${units[unit]}`;
}

/** Sentences for people about a file that is too large for a platform. `most`: the limit in bytes, if it is known. */
export function fileTooLarge(
	{ name, size }: { readonly name: string; readonly size: number },
	platform: string,
	most?: number,
): string {
	const limit = most === undefined ? "" : ` (${sizeText(most)})`;
	return `The file ${name} (${sizeText(size)}) is too large for ${platform}${limit}. Ask the operator for it, or ask me to split it.`;
}
