import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { paced } from "@parley/base/testing";
import { expect } from "vitest";
import { binary, patienceMs } from "../gateway-process.ts";
import { only, streamed, typesOf, ZotClient, zotBinary } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

async function pipe(command: readonly string[], input: string): Promise<string> {
	const directory = await mkdtemp(join(tmpdir(), "parley-zot-pipe-"));
	const env = { PATH: process.env["PATH"], HOME: directory, PARLEY_SANDBOX: "off" };
	const child = spawn(process.execPath, command, {
		...{ cwd: directory, env, stdio: ["pipe", "pipe", "inherit"], timeout: paced(patienceMs) },
	});
	child.stdin.end(input);
	const output = await text(child.stdout);
	await rm(directory, { recursive: true, force: true });
	return output;
}

verifiesOn(
	"zot",
	["zot.quick-start", "zot.binary"],
	"a prompt can be piped, with each name of the program",
	async () => {
		const directory = await mkdtemp(join(tmpdir(), "parley-zot-link-"));
		const link = join(directory, "zot");
		await symlink(zotBinary, link);
		const offline = ["--provider", "offline"];
		const commands = [
			[zotBinary, "rpc", ...offline],
			[zotBinary, "--rpc", ...offline],
			[link, "rpc", ...offline],
			[binary, "rpc", ...offline],
		];
		for (const commandLine of commands) {
			const output = await pipe(commandLine, '{"id":"1","type":"prompt","message":"say: hello"}\n');
			const types = output.split("\n").map((line) => /"type":"([a-z_]+)"/.exec(line)?.[1]);
			expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
				...["response", "user_message", "turn_start", "assistant_start", "text_delta", "usage"],
				...["assistant_message", "turn_end", "done", undefined],
			]);
		}
		await rm(directory, { recursive: true });
	},
);

verifiesOn(
	"zot",
	["zot.input-ends", "zot.silent-start", "zot.stdout"],
	"a process without commands writes nothing, and ends with its input",
	async () => {
		await using agent = await ZotClient.start();
		expect(await agent.end()).toEqual({ code: 0, signal: null });
		expect(agent.lines).toEqual([]);
		expect(agent.stderr).toBe("");
	},
);

verifiesOn(
	"zot",
	["zot.input-ends-busy"],
	"when the input ends during a prompt, it and queued ones are completed",
	async () => {
		await using agent = await ZotClient.start();
		agent.send({ id: "1", type: "prompt", message: "run: mkfifo gate; echo ready; cat gate\nsay: one" });
		agent.send({ id: "2", type: "prompt", message: "say: two" }, { id: "3", type: "compact" });
		await agent.until("tool_progress");
		const ended = agent.end('{"id":"4","type":"prompt","message":"say: four"}\n');
		await writeFile(agent.path("work", "gate"), "go");
		expect(await ended).toEqual({ code: 0, signal: null });
		expect(only(agent.frames, "done").map(({ request_id }) => request_id)).toEqual(["1", "2", "3", "4"]);
		expect(only(agent.frames, "compact_done")).toHaveLength(1);
		expect(only(agent.frames, "turn_end").every(({ stop }) => stop !== "aborted")).toBe(true);
	},
);

verifiesOn(
	"zot",
	["zot.many", "zot.one-of-each", "zot.no-storage", "zot.flag-cwd"],
	"concurrent processes work in their own directories, and leave no files",
	async () => {
		await using one = await ZotClient.start();
		await using other = await ZotClient.start({ flags: ["--cwd", one.path("home")] });
		for (const agent of [one, other]) agent.send({ id: "1", type: "prompt", message: "run: pwd" });
		for (const [agent, cwd] of [[one, one.path("work")] as const, [other, one.path("home")] as const]) {
			const received = await agent.turn();
			expect(only(received, "tool_result")[0]?.content).toEqual([{ type: "text", text: `${cwd}\n` }]);
			const state = await agent.data({ id: "2", type: "get_state" });
			expect(state).toMatchObject({ cwd, message_count: 4 });
		}
		for (const agent of [one, other]) {
			expect(await agent.end()).toEqual({ code: 0, signal: null });
			const places = ["work", "home", "tmp", "data"].map((name) => readdir(agent.path(name)));
			expect((await Promise.all(places)).flat()).toEqual([]);
		}
	},
);

verifiesOn(
	"zot",
	["zot.session", "zot.session-held"],
	"a session is continued by the next process, and open in one at a time",
	async () => {
		await using one = await ZotClient.start();
		const flags = ["--session", one.path("home", "kept")];
		await using first = await ZotClient.start({ flags });
		first.send({ id: "1", type: "prompt", message: "say: beans" });
		await first.turn();
		const before = await first.data({ id: "2", type: "get_messages" });
		await using second = await ZotClient.start({ flags });
		expect(await second.end()).toEqual({ code: 1, signal: null });
		expect(second.lines).toEqual([]);
		expect(await first.end()).toEqual({ code: 0, signal: null });
		await using next = await ZotClient.start({ flags });
		expect(await next.data({ id: "3", type: "get_messages" })).toEqual(before);
		next.send({ id: "4", type: "prompt", message: "say: peas" });
		expect(streamed(await next.turn())).toBe("[offline] peas");
		expect(await next.data({ id: "5", type: "get_state" })).toMatchObject({ message_count: 4 });
	},
);

verifiesOn("zot", ["zot.input-ends-ask"], "a question that can no longer be answered is denied", async () => {
	await using agent = await ZotClient.start({ flags: ["--rpc-approvals"] });
	agent.send({ id: "1", type: "prompt", message: "run: touch made\nsay: over" });
	await agent.until("ask");
	expect(await agent.end()).toEqual({ code: 0, signal: null });
	expect(typesOf(agent.frames).slice(-2)).toEqual(["turn_end end_turn", "done"]);
	expect(only(agent.frames, "tool_result")).toMatchObject([{ is_error: true }]);
	expect(await readdir(agent.path("work"))).toEqual([]);
});

/** Client that exits after `done` without waiting for the agent, like the existing client for Node. */
const leavingClient = `
	const { spawn } = require("node:child_process");
	const { createInterface } = require("node:readline");
	const agent = spawn("/bin/sh", process.argv.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
	agent.stdin.write(JSON.stringify({ id: "1", type: "prompt", message: "run: echo hi" }) + "\\n");
	createInterface({ input: agent.stdout }).on("line", (line) => {
		if (JSON.parse(line).type !== "done") return;
		agent.stdin.end();
		process.exit(0);
	});
`;

verifiesOn(
	"zot",
	["zot.client-leaves"],
	"a client that ends with the last `done` is not an error",
	async () => {
		const directory = await mkdtemp(join(tmpdir(), "parley-zot-leaving-"));
		const code = join(directory, "code");
		const agent = '"$0" "$1" rpc --provider offline; echo "$?" > "$2.new"; mv "$2.new" "$2"';
		const env = { PATH: process.env["PATH"], HOME: directory, PARLEY_SANDBOX: "off" };
		for (let time = 0; time < 3; time++) {
			await rm(code, { force: true });
			const args = ["-e", leavingClient, "--", "-c", agent, process.execPath, zotBinary, code];
			const client = spawn(process.execPath, args, {
				...{ cwd: directory, env, stdio: ["ignore", "inherit", "pipe"], timeout: paced(patienceMs) },
			});
			// The agent inherits stderr, so the stream ends only after the agent has exited.
			expect(await text(client.stderr)).toBe("");
			expect(await readFile(code, "utf8")).toBe("0\n");
		}
		await rm(directory, { recursive: true, force: true });
	},
);
