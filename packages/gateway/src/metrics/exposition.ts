/** Label values by name. */
export type Labels = Readonly<Record<string, string>>;

/** One number of a family; the suffix is that of the parts of a histogram. */
export interface Sample {
	readonly suffix?: "_bucket" | "_sum" | "_count";
	readonly labels: Labels;
	readonly value: number;
}

/** Everything of one name. */
export interface Family {
	readonly name: string;
	readonly help: string;
	readonly type: "counter" | "gauge" | "histogram";
	readonly samples: readonly Sample[];
}

export const contentType = "text/plain; version=0.0.4; charset=utf-8";

/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export function renderFamilies(families: readonly Family[]): string {
	return families.map(renderFamily).join("");
}

function renderFamily({ name, help, type, samples }: Family): string {
	const lines = samples.map(({ suffix = "", labels, value }) => {
		return `${name}${suffix}${renderLabels(labels)} ${renderNumber(value)}`;
	});
	return `${[`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines].join("\n")}\n`;
}

function renderLabels(labels: Labels): string {
	const pairs = Object.entries(labels).map(
		([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
	);
	return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
	return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function renderNumber(value: number): string {
	return value === Number.POSITIVE_INFINITY ? "+Inf" : String(value);
}
