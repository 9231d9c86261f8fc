import { mkdir, readFile, symlink } from "node:fs/promises";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

async function workplace(gateway: TestGateway, params: object): Promise<unknown> {
	await using client = await OzzieClient.connect(gateway.url);
	await client.open(params);
	await client.call("accept_all_tools");
	await client.call("send_message", { content: "run: pwd" });
	const { payload } = await client.event("tool.call", { status: "completed" });
	return payload["result"];
}

verifiesOn(
	"ozzie",
	["session.root"],
	"tools work in the directory of the session, by default the first root",
	async () => {
		await using gateway = await TestGateway.start({ roots: ["work", "other"] });
		await mkdir(gateway.path("work", "sub"));
		expect(await workplace(gateway, {})).toBe(`${gateway.path("work")}\n`);
		expect(await workplace(gateway, { root_dir: "" })).toBe(`${gateway.path("work")}\n`);
		expect(await workplace(gateway, { root_dir: gateway.path("work", "sub") })).toBe(
			`${gateway.path("work", "sub")}\n`,
		);
		expect(await workplace(gateway, { root_dir: gateway.path("other") })).toBe(`${gateway.path("other")}\n`);
	},
);

verifiesOn(
	"ozzie",
	["session.root", "session.root-any"],
	"without roots, any directory except the data directory is allowed",
	async () => {
		await using gateway = await TestGateway.start({ roots: [] });
		expect(await workplace(gateway, {})).toBe(`${gateway.path("here")}\n`);
		expect(await workplace(gateway, { root_dir: gateway.path("other") })).toBe(`${gateway.path("other")}\n`);
		await symlink(gateway.path("data"), gateway.path("here", "link"));
		await using client = await OzzieClient.connect(gateway.url);
		const refused = ["nowhere", "data", "data/tokens", "here/link"];
		for (const name of refused) {
			const error = await client.refusal("open_session", { root_dir: gateway.path(name) });
			expect(error).toMatch(/^invalid params: root_dir\b/);
		}
	},
);

verifiesOn(
	"ozzie",
	["session.root-outside"],
	"with roots, a directory outside of them is refused",
	async () => {
		await using gateway = await TestGateway.start();
		await symlink(gateway.path("other"), gateway.path("work", "out"));
		await using client = await OzzieClient.connect(gateway.url);
		for (const root_dir of [
			"/",
			gateway.directory,
			gateway.path("other"),
			gateway.path("work", "out"),
			"..",
		]) {
			const error = await client.refusal("open_session", { root_dir });
			expect(error).toMatch(/^invalid params: root_dir\b/);
		}
		expect(await client.call("list_sessions")).toEqual({ sessions: [] });
	},
);

verifiesOn(
	"ozzie",
	["key.repeat"],
	"a request that is repeated with its key runs once, also over another connection",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const opened = await client.call("open_session", { key: "open" });
		const sent = await client.call("send_message", { content: "run: echo x >> count", key: "send" });
		const { payload } = await client.event("prompt.request");
		await client.leave();
		await using back = await OzzieClient.connect(gateway.url);
		expect(await back.call("open_session", { key: "open" })).toEqual(opened);
		expect(await back.call("send_message", { content: "run: echo x >> count", key: "send" })).toEqual(sent);
		const answer = { token: payload["token"], value: true, key: "answer" };
		const answered = await back.call("prompt_response", answer);
		expect(await back.call("prompt_response", answer)).toEqual(answered);
		await back.event("assistant.message");
		expect(await readFile(gateway.path("work", "count"), "utf8")).toBe("x\n");
		const cancelled = await back.call("cancel_turn", { key: "cancel" });
		await back.call("send_message", { content: "run: echo y" });
		await back.event("prompt.request");
		expect(await back.call("cancel_turn", { key: "cancel" })).toEqual(cancelled);
		await back.call("accept_all_tools", { key: "trust" });
		await back.call("accept_all_tools", { key: "trust" });
		await expect(back.event("assistant.message")).resolves.toMatchObject({ payload: { error: "" } });
		const { sessions } = await back.call("list_sessions");
		expect(sessions).toHaveLength(1);
	},
);

verifiesOn(
	"ozzie",
	["key.repeat"],
	"a first message that is sent again creates no second session",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const sent = await client.call("send_message", { content: "say: hi", key: "first" });
		await client.leave();
		await using back = await OzzieClient.connect(gateway.url);
		expect(await back.call("send_message", { content: "say: hi", key: "first" })).toEqual(sent);
		const { sessions } = await back.call("list_sessions");
		expect(sessions).toHaveLength(1);
	},
);

verifiesOn("ozzie", ["key.other"], "a key cannot be used for another request", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.call("open_session", { key: "k" });
	for (const [method, params] of [
		["open_session", { title: "other" }],
		["send_message", { content: "hi" }],
		["accept_all_tools", {}],
		["cancel_turn", {}],
	] as const) {
		expect(await client.refusal(method, { ...params, key: "k" })).toMatch(/^invalid params\b.*key/);
	}
	await client.call("send_message", { content: "say: hi" });
	await client.event("assistant.message", { content: "[offline] hi" });
});
