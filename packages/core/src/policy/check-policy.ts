import { existsSync } from "node:fs";
import { ParleyError } from "@parley/base";
import type { KnownTool, PolicySource } from "./read-policy.ts";
import { type PolicyState, WatchedPolicy } from "./watched-policy.ts";

/**
 * Reads a file of rules as a gateway would; whose it is, its place tells: an agent's, a workspace's, else the operator's.
 * Throws `not_found`, or `failed_precondition` with line and reason.
 */
export function checkPolicy(
	path: string,
	tools: readonly KnownTool[],
): Pick<PolicyState, "rules" | "ignored"> & Pick<PolicySource, "layer"> {
	if (!existsSync(path)) throw new ParleyError(`there is no file ${path}`, { code: "not_found" });
	const layer = layerOf(path);
	const watched = new WatchedPolicy({
		...{ layer, path, tools, foreign: layer === "workspace", onRead: () => undefined },
	});
	const { problem, rules, ignored } = watched.look();
	if (problem !== undefined) throw new ParleyError(problem, { code: "failed_precondition" });
	return { layer, rules, ignored };
}

function layerOf(path: string): PolicySource["layer"] {
	if (path.endsWith("/.parley/policy.jsonc")) return "workspace";
	return /\/agents\/[^/]+\/policy\.jsonc$/.test(path) ? "agent" : "operator";
}
