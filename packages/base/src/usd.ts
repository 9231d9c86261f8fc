/**
 * Formats a cost in US dollars with two decimals, for example `$1,234.50`. A cost above 0 and below half a
 * cent is `<$0.01`.
 */
export function formatUsd(usd: number): string {
	if (usd === 0) return "$0.00";
	if (usd < 0.005) return "<$0.01";
	return `$${grouped(usd.toFixed(2))}`;
}

/** Formats a limit in US dollars, exact to nine decimals: `$5.00`, `$0.005`. */
export function formatUsdLimit(usd: number): string {
	const exact = usd.toFixed(9).replace(/0{1,7}$/, "");
	return `$${grouped(exact)}`;
}

function grouped(decimal: string): string {
	const [integer = "", fraction = ""] = decimal.split(".");
	return `${integer.replace(/\B(?=(?:\d{3})+$)/g, ",")}.${fraction}`;
}
