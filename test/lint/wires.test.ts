import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const wires = join(import.meta.dirname, "../../packages/gateway/src/wires");

const parts = ["schema.ts", "codec.ts", "error-code.ts", "connection.ts", "methods", "server.ts"];

/** Layers below the wires. */
const layers = ["shared", "view"];

/** Additional files of each wire, with their purpose. All other code belongs in one of the required parts. */
const own: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	ozzie: {
		"envelope.ts": "which shape of frames a client gets",
		"envelope-frames.ts": "frames for the existing Go clients",
		"event-frames.ts": "frames of the protocol document",
		"hidden-tokens.ts": "events for clients that only read",
		"message-context.ts": "messages that a client read before a request",
		"pace.ts": "when a client is read",
	},
	zot: { "agent.ts": "the session of the process" },
	http: { "reply.ts": "responses as JSON" },
};

function namesIn(folder: string): string[] {
	return readdirSync(join(wires, folder)).filter((name) => !name.endsWith(".test.ts"));
}

const folders = readdirSync(wires).filter((name) => !layers.includes(name));

test("the folders next to the layers are wires", () => {
	expect(folders).toEqual(["http", "kontekst", "mcp", "ozzie", "roz", "zot"]);
	for (const layer of layers) expect(existsSync(join(wires, layer))).toBe(true);
});

test.each(folders)("%s has the files of a wire, and no files other than the named ones", (folder) => {
	expect(namesIn(folder).sort()).toEqual([...parts, ...Object.keys(own[folder] ?? {})].sort());
	expect(statSync(join(wires, folder, "methods")).isDirectory()).toBe(true);
});
