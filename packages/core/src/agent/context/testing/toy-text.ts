const words =
	"the a gateway session of reads writes file line test when result error path model which asked user run not found build".split(
		" ",
	);

/** Returns a generator of random numbers. Equal seeds give equal numbers (mulberry32, Tommy Ettinger). */
export function chance(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

export function prose(random: () => number, count: number): string {
	return Array.from({ length: count }, () => words[Math.floor(random() * words.length)]).join(" ");
}

export function code(random: () => number, lines: number): string {
	const line = (): string => {
		const [name, other] = [prose(random, 1), prose(random, 1)];
		return `\tconst ${name}_${Math.floor(random() * 1000)} = ${other}(${name}[${Math.floor(random() * 9)}], "${other}");`;
	};
	return Array.from({ length: lines }, line).join("\n");
}

export function chinese(random: () => number, count: number): string {
	return Array.from({ length: count }, (_, index) =>
		index % 20 === 19 ? "。" : String.fromCodePoint(0x4e00 + Math.floor(random() * 3000)),
	).join("");
}
