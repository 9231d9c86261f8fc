const integerFormat = new Intl.NumberFormat("en-US");

/** Formats a count, for example `1,234,567`. */
export function formatCount(count: number): string {
	return integerFormat.format(count);
}

/** Formats an approximate count, for example `12.3k`. */
export function formatRoughly(count: number): string {
	if (count < 1000) return String(count);
	const [divisor, unit] = count < 999_500 ? [1e3, "k"] : [1e6, "M"];
	const value = count / divisor;
	return `${value.toFixed(value < 99.95 ? 1 : 0).replace(/\.0$/, "")}${unit}`;
}

/** Formats a number of bytes in the largest fitting unit, in powers of 1,000, for example `12.3 MB`. */
export function formatBytes(bytes: number): string {
	if (bytes < 1000) return `${bytes} B`;
	const units = ["kB", "MB", "GB", "TB"];
	const exponent = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
	return `${(bytes / 1000 ** exponent).toFixed(1)} ${units[exponent - 1]}`;
}

/** Formats a count with its noun, for example `1 file` or `2 files`. */
export function plural(count: number, noun: string): string {
	return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
