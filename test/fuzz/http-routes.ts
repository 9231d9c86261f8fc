import { globSync, readFileSync } from "node:fs";

const root = new URL("../../", import.meta.url);

/**
 * Returns the paths of all HTTP routes, read from the sources of the gateway. An id follows a path with a trailing
 * slash.
 */
export function httpRoutes(): string[] {
	const patterns = ["packages/gateway/src/{wires/{http,mcp},secret-page}/**/*.ts"];
	const files = globSync(patterns, { cwd: root, exclude: ["**/*.test.ts", "**/testing/**"] });
	const paths = files.flatMap((file) =>
		[...readFileSync(new URL(file, root), "utf8").matchAll(/"(\/[a-z][a-z0-9/_-]*)"/g)].map(
			([, path = ""]) => path,
		),
	);
	return [...new Set(paths)].sort();
}
