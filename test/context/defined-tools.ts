import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../packages", import.meta.url));

/** Tools of clients and MCP servers, and tools that the zot protocol renames. */
const nameless = ["agent/client-tools/client-tools.ts", "agent/mcp/mcp-tool.ts", "tools/short/"];

/**
 * Returns the names of all tools with a fixed name, read from the sources of the product. Throws if the definition of
 * such a tool does not start with the name of the tool.
 */
export function definedTools(): string[] {
	const files = globSync("*/src/**/*.ts", { cwd: packages, exclude: ["**/*.test.ts", "**/testing/**"] });
	return files
		.filter((file) => !nameless.some((path) => file.includes(path)))
		.flatMap((file) => namesIn(file, readFileSync(`${packages}/${file}`, "utf8")));
}

function namesIn(file: string, source: string): string[] {
	const definitions = [...source.matchAll(/= defineTool\b|return defineTool\b/g)];
	return definitions.map(({ index }) => {
		const [, name] = /^[^(]*\(\{\s*name: "([a-z_]+)"/.exec(source.slice(index)) ?? [];
		if (name === undefined) throw new Error(`${file}: a definition of a tool does not begin with its name`);
		return name;
	});
}
