const perDollar = 1_000_000_000;

/** Billionths of a US dollar as dollars, for people and wires: exact to the ninth digit behind the point. */
export function dollars(cost: number): number {
	return cost / perDollar;
}

/** Dollars as whole billionths. */
export function billionths(usd: number): number {
	return Math.round(usd * perDollar);
}

/** `$10.00`; what is less than a dollar has more digits where they say something. */
export function formatDollars(cost: number): string {
	const maximumFractionDigits = cost < perDollar ? 9 : 2;
	return new Intl.NumberFormat("en-US", {
		...{ style: "currency", currency: "USD" },
		...{ minimumFractionDigits: 2, maximumFractionDigits },
	}).format(dollars(cost));
}
