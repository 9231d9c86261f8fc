export interface ReadFamily {
	readonly type: string;
	/**
	 * Values by suffix and labels as in the text, for example `_count{tool="look"}`. The key "" is the sample without
	 * suffix and labels.
	 */
	readonly samples: Map<string, number>;
	readonly labels: Set<string>;
}

const head = /^# (HELP|TYPE) ([a-z_][a-z0-9_]*) (.+)$/;
const sample = /^([a-z_][a-z0-9_]*)(\{(?:[a-z_]+="(?:[^"\\]|\\["\\n])*",?)+\})? (\S+)$/;
const suffixes: Readonly<Record<string, readonly string[]>> = {
	counter: [""],
	gauge: [""],
	histogram: ["_bucket", "_sum", "_count"],
	summary: ["", "_sum", "_count"],
};

/** Parses metrics in the Prometheus text format. Throws for lines that are malformed or in the wrong place. */
export function readExposition(text: string): Map<string, ReadFamily> {
	if (!text.endsWith("\n")) throw new Error("the last line has no end");
	const families = new Map<string, ReadFamily>();
	const rows = text.split("\n").filter((row) => row !== "");
	let described = "";
	let current = "";
	for (const row of rows) {
		const [, kind, name = "", rest = ""] = head.exec(row) ?? [];
		if (kind === "HELP") described = name;
		else if (kind === "TYPE") {
			if (described !== name || families.has(name) || !suffixes[rest]) throw new Error(`misplaced: ${row}`);
			families.set(name, { type: rest, samples: new Map(), labels: new Set() });
			current = name;
		} else readSample(row, current, families.get(current));
	}
	return families;
}

function readSample(row: string, current: string, family: ReadFamily | undefined): void {
	const [, name = "", labels = "", value = ""] = sample.exec(row) ?? [];
	const suffix = name.slice(current.length);
	const fits = name.startsWith(current) && suffixes[family?.type ?? ""]?.includes(suffix);
	if (!family || !fits || family.samples.has(suffix + labels)) throw new Error(`misplaced: ${row}`);
	family.samples.set(suffix + labels, readNumber(value));
	for (const [, label = ""] of labels.matchAll(/([a-z_]+)="/g)) if (label !== "le") family.labels.add(label);
}

function readNumber(text: string): number {
	// `NaN` and `Inf` may have any case: https://pkg.go.dev/strconv#ParseFloat
	if (/^nan$/i.test(text)) return Number.NaN;
	const number = Number(text.replace(/^([+-]?)inf(?:inity)?$/i, "$1Infinity"));
	if (text === "" || Number.isNaN(number)) throw new Error(`no number: ${text}`);
	return number;
}
