import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { agentTable } from "./model-tables.ts";

const list = {
	agents: [
		{ name: "default", title: "Parley", sampling: {} },
		{
			name: "local",
			title: "Local\u001b",
			model: "m",
			server: "http://127.0.0.1:8080",
			sampling: {},
			reasoning: "low",
			tools: ["read_file", "search_files"],
		},
		{ name: "mute", title: "Mute", sampling: {}, tools: [] },
	],
	problems: [{ name: "typo", message: 'config.toml: line 2: unknown key "temprature"' }],
};

test("prints the profiles, then the invalid ones with the reason", () => {
	expect(agentTable(list, { columns: 120, styles: createStyles(false) })).toEqual([
		"NAME     TITLE        MODEL                       THINKING  TOOLS",
		"default  Parley       (default)                             all",
		"local    Local\\u{1b}  m at http://127.0.0.1:8080  low       read_file, search_files",
		"mute     Mute         (default)                             none",
		'✗ typo: config.toml: line 2: unknown key "temprature"',
	]);
});

test.each([80, 40])("prints no row that is wider than %d columns", (columns) => {
	const rows = agentTable(list, { columns, styles: createStyles(false) });
	expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
});
