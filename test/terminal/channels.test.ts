import { parseJson } from "@parley/base";
import { expect } from "vitest";
import { pipe } from "./piped.ts";
import { test } from "./terminal-test.ts";

test("each option of `channels set` is stored", async ({ setup }) => {
	const other = await pipe(setup, ["channels", "set", "discord:1:other", "--mention", "required"], "");
	expect(other).toMatchObject({ code: 0 });
	const options = {
		agent: "default",
		model: "offline",
		tools: "read_file",
		root: setup.work,
		approver: "discord:1:ada",
		"approve-in": "discord:1:other",
		budget: "2",
		quota: "10MB",
		mention: "always",
		sessions: "person",
		live: "off",
		answers: "thread",
		status: "reactions",
		busy: "offer",
		context: "off",
		"approval-hours": "3",
	};
	const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
	const { out, error, code } = await pipe(setup, ["channels", "set", "discord:1:2", ...flags, "--json"], "");
	expect({ error: error.trim(), code }).toEqual({ error: "", code: 0 });
	expect(parseJson(out)).toMatchObject({
		place: "discord:1:2",
		profile: {
			...{ agent: "default", model: "offline", tools: ["read_file"], root: "DIRECTORY" },
			...{
				approvers: ["discord:1:ada"],
				approve_in: ["discord:1:other"],
				budget_usd: 2,
				quota_bytes: 10_000_000,
			},
			...{ mention: "always", sessions: "person", live: "off", answers: "thread", status: "reactions" },
			...{ busy: "offer", context: 0, approval_hours: 3 },
		},
	});
	const { out: help } = await pipe(setup, ["channels", "set", "--help"], "");
	const documented = [...help.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name = ""]) => name);
	expect(documented.filter((name) => !["json", "url", "data"].includes(name)).toSorted()).toEqual(
		Object.keys(options).toSorted(),
	);
});
