import { mkdir, mkdtempDisposable, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CapturedIo } from "../testing/captured-io.ts";
import { listServers } from "./mcp-list.ts";
import { trustDirectory } from "./mcp-trust.ts";

const mcpServers = {
	shop: { command: "sh" },
	old: { type: "sse", url: "https://example.com/mcp" },
	read_file: { command: "sh" },
};

test.each([
	["old", "old: its type `sse` is the old transport of MCP and not supported"],
	["read_file", "read_file: its name is not valid"],
	["absent", '.mcp.json has no server "absent"; usable servers: shop'],
])("with --server %s, an unusable or missing server is refused with the reason", async (name, reason) => {
	await using root = await mkdtempDisposable(join(await realpath(tmpdir()), "parley-trust-"));
	const [directory, data] = [join(root.path, "work"), join(root.path, "data")];
	await mkdir(directory);
	await mkdir(data);
	await writeFile(join(directory, ".mcp.json"), JSON.stringify({ mcpServers }));
	const trusting = trustDirectory(directory, { server: ["shop", name], yes: true, data }, new CapturedIo());
	await expect(trusting).rejects.toThrow(reason);
});

test("a directory that does not exist is named with the action", async () => {
	const trusting = trustDirectory("/absent", { yes: true }, new CapturedIo());
	await expect(trusting).rejects.toThrow(
		'"/absent" is not a directory, or is not accessible: use the path of a directory',
	);
});

test("a file is not a working directory", async () => {
	await using root = await mkdtempDisposable(join(await realpath(tmpdir()), "parley-trust-"));
	const file = join(root.path, ".mcp.json");
	await writeFile(file, JSON.stringify({ mcpServers }));
	const flags = { dir: file, data: join(root.path, "data") };
	await expect(listServers(flags, new CapturedIo())).rejects.toThrow("is not a directory");
});
