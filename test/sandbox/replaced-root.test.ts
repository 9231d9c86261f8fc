import { readdir } from "node:fs/promises";
import { paced } from "@parley/base/testing";
import { hasBubblewrap } from "@parley/core/testing";
import { expect, test } from "vitest";
import { callsOf, openNestedRoots } from "./replaced-root.ts";

test.runIf(hasBubblewrap)(
	"a session reaches no file through a link with which another session replaces its root",
	{ timeout: paced(60_000) },
	async () => {
		await using roots = await openNestedRoots();
		const { first, second, project, outside } = roots;
		const [before] = await callsOf(second, "run: echo here; pwd");
		expect(JSON.stringify(before)).toContain(`here\\n${project}`);
		const [replaced] = await callsOf(
			first,
			`run: mv project aside && ln -s ${outside} project && echo replaced`,
		);
		expect(JSON.stringify(replaced)).toContain("replaced");

		const [command] = await callsOf(second, "run: touch made; cat secret");
		expect(command).toMatchObject({ status: "failed" });
		expect(JSON.stringify(command)).not.toContain("secret of the operator");
		const read = 'tool: read_file {"path":"secret"}';
		const write = 'tool: write_file {"path":"made","content":"x"}';
		const search = 'tool: search_files {"pattern":"secret"}';
		for (const call of [read, write, search]) {
			expect(JSON.stringify(await callsOf(second, call))).not.toContain("secret of the operator");
		}
		expect(await readdir(outside)).toEqual(["secret"]);

		await callsOf(first, "run: rm project && mv aside project");
		const [after] = await callsOf(second, "run: echo here again");
		expect(JSON.stringify(after)).toContain("here again");
	},
);
