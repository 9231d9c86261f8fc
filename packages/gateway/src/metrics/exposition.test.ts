import { expect, test } from "vitest";
import { Distribution } from "./distribution.ts";
import { renderFamilies } from "./exposition.ts";
import { counter, histogram } from "./families.ts";
import { Tally } from "./tally.ts";

test("a family is its help, its type and one line a series", () => {
	const tally = new Tally();
	tally.add({ tool: "look", outcome: "completed" });
	tally.add({ tool: "look", outcome: "completed" }, 2);
	tally.add({ tool: "look", outcome: "failed" });
	expect(renderFamilies([counter("calls_total", "Calls.", tally)])).toBe(
		[
			"# HELP calls_total Calls.",
			"# TYPE calls_total counter",
			'calls_total{tool="look",outcome="completed"} 3',
			'calls_total{tool="look",outcome="failed"} 1',
			"",
		].join("\n"),
	);
});

test("what labels and helps hold cannot end a line or a value", () => {
	const tally = new Tally();
	tally.add({ model: 'a"b\\c\nd' });
	expect(renderFamilies([counter("x_total", "One\\two\nthree.", tally)])).toBe(
		'# HELP x_total One\\\\two\\nthree.\n# TYPE x_total counter\nx_total{model="a\\"b\\\\c\\nd"} 1\n',
	);
});

test("a histogram counts what is at most as large as each bound", () => {
	const sizes = new Distribution([1, 10]);
	for (const size of [0.5, 1, 2, 11]) sizes.add(size, { kind: "a" });
	expect(histogram("size", "Sizes.", sizes).samples).toEqual([
		{ suffix: "_bucket", labels: { kind: "a", le: "1" }, value: 2 },
		{ suffix: "_bucket", labels: { kind: "a", le: "10" }, value: 3 },
		{ suffix: "_bucket", labels: { kind: "a", le: "+Inf" }, value: 4 },
		{ suffix: "_sum", labels: { kind: "a" }, value: 14.5 },
		{ suffix: "_count", labels: { kind: "a" }, value: 4 },
	]);
});

test("names that come from elsewhere do not grow a family without end", () => {
	const tally = new Tally();
	for (let n = 0; n < 2_000; n++) tally.add({ provider: "p", model: `m${n}` });
	tally.add({ provider: "p", model: "m0" });
	const samples = tally.samples();
	expect(samples).toHaveLength(501);
	expect(samples[0]).toEqual({ labels: { provider: "p", model: "m0" }, value: 2 });
	expect(samples.at(-1)).toEqual({ labels: { provider: "other", model: "other" }, value: 1_500 });
});

test("money counted in billionths is told in dollars", () => {
	const tally = new Tally();
	tally.add({}, 1_500_000_000);
	expect(counter("cost", "Cost.", tally, 1e9).samples).toEqual([{ labels: {}, value: 1.5 }]);
});
