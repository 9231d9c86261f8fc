import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServerSettings } from "@parley/core";
import { hasBubblewrap } from "@parley/core/testing";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { TestGateway } from "../conformance/gateway.ts";
import { settingsOf } from "./scene.ts";

const testInside = test.skipIf(!hasBubblewrap);

/** Finds the program of a server. `packages` is the `node_modules` directory with the dependencies of the program. */
async function npmServer(name: string): Promise<{ readonly program: string; readonly packages: string }> {
	const program = await realpath(
		join(import.meta.dirname, "../node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js"),
	);
	const end = program.indexOf("/node_modules/") + "/node_modules".length;
	return { program, packages: program.slice(0, end) };
}

async function open(servers: (directory: string) => Promise<readonly McpServerSettings[]>) {
	const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-mcp-")));
	for (const name of ["files", "notes"]) await mkdir(join(directory, name));
	await writeFile(join(directory, "files/a.txt"), "the first file");
	await writeFile(join(directory, "secret.txt"), "hidden");
	const gateway = await TestGateway.start({ config: { sandbox: "required", mcp: await servers(directory) } });
	const client = await OzzieClient.connect(gateway.url);
	const { session_id } = await client.call("open_session", { root_dir: gateway.path("work") });
	const session = { session_id };
	await client.call("accept_all_tools", session);
	return {
		gateway,
		directory,
		async call(name: string, args: object): Promise<string> {
			await client.call("send_message", { ...session, content: `tool: ${name} ${JSON.stringify(args)}` });
			let result = "";
			for (;;) {
				const { event, payload } = await client.event();
				if (event === "tool.call") result = String(payload["result"] ?? payload["error"] ?? result);
				if (event === "assistant.message") return result;
			}
		},
		async [Symbol.asyncDispose]() {
			await client.leave();
			await gateway[Symbol.asyncDispose]();
			await rm(directory, { recursive: true, force: true });
		},
	};
}

testInside(
	"the filesystem server reads only the directories that the operator allows",
	async () => {
		await using place = await open(async (directory) => {
			const { program, packages } = await npmServer("filesystem");
			const files = join(directory, "files");
			return [settingsOf("files", [program, files, "/"], { read: [packages, files] })];
		});
		const { gateway, directory, call } = place;
		await expect(call("files__read_text_file", { path: join(directory, "files/a.txt") })).resolves.toContain(
			"the first file",
		);
		const others = [join(directory, "secret.txt"), gateway.path("data", "parley.sqlite"), "/etc/shadow"];
		for (const path of others) {
			const result = await call("files__read_text_file", { path });
			expect(result).toMatch(/ENOENT|no such file|denied/i);
			expect(result).not.toContain("hidden");
		}
	},
	60_000,
);

testInside(
	"the memory server stores notes in its directory",
	async () => {
		await using place = await open(async (directory) => {
			const { program, packages } = await npmServer("memory");
			const notes = join(directory, "notes");
			const environment = { MEMORY_FILE_PATH: join(notes, "memory.jsonl") };
			return [settingsOf("notes", [program], { read: [packages], write: [notes], environment })];
		});
		const entities = [{ name: "Ada", entityType: "person", observations: ["likes tea"] }];
		await expect(place.call("notes__create_entities", { entities })).resolves.toContain("Ada");
		await expect(place.call("notes__read_graph", {})).resolves.toContain("likes tea");
	},
	60_000,
);

testInside(
	"the server `everything` answers with text, images and errors",
	async () => {
		await using place = await open(async () => {
			const { program, packages } = await npmServer("everything");
			return [settingsOf("everything", [program, "stdio"], { read: [packages] })];
		});
		await expect(place.call("everything__echo", { message: "hello" })).resolves.toContain("Echo: hello");
		await expect(place.call("everything__get-sum", { a: 2, b: 3 })).resolves.toContain("5");
		await expect(place.call("everything__get-tiny-image", {})).resolves.toContain("image/png");
		await expect(place.call("everything__echo", { message: 7 })).resolves.toMatch(/invalid|expected/i);
		const resources = await place.call("everything__list_resources", {});
		const uri = /^(\w+:\/\/\S+?): /m.exec(resources)?.[1] ?? "";
		await expect(place.call("everything__read_resource", { uri })).resolves.toContain(`[resource ${uri}]`);
		await expect(place.call("everything__list_prompts", {})).resolves.toContain("simple-prompt(");
		await expect(place.call("everything__get_prompt", { name: "simple-prompt" })).resolves.toContain(
			"[user]",
		);
		await expect(place.call("everything__get_prompt", { name: "nothing" })).resolves.toContain("nothing");
	},
	60_000,
);
