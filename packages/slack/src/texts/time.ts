export const timeTexts = {
	in: ({ count, unit }: { readonly count: number; readonly unit: "s" | "min" | "h" | "days" }): string =>
		`in ${count} ${unit}`,
};
