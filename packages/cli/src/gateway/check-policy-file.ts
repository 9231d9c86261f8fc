import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { createIds, systemClock } from "@parley/base";
import { builtinTools, checkPolicy, createWebFetch } from "@parley/core";
import type { Io } from "../command-line/io.ts";
import { rootTexts } from "../texts/gateway/start.ts";
import type { GatewayFlags } from "./gateway-flags.ts";
import { readConfig } from "./run-gateway.ts";

/**
 * Checks a policy file and returns a summary. By default, checks the file that a gateway would use. That file may be
 * missing. Rejects if the file is invalid or a named file does not exist.
 */
export async function checkFile(named: string | undefined, flags: GatewayFlags, io: Io): Promise<string> {
	const path = named === undefined ? await usedFile(flags, io) : resolve(io.cwd, named);
	// The file is optional, because the built-in rules apply without it.
	if (named === undefined && !existsSync(path)) {
		return rootTexts.noPolicyFile({ path });
	}
	const web = createWebFetch({ clock: systemClock, ids: createIds() });
	const tools = [...builtinTools(), web, { name: "web_search" }];
	const { layer, rules, ignored } = checkPolicy(path, tools);
	return rootTexts.policyFile({ path, rules: rules.length, layer, ignored: ignored.length });
}

async function usedFile(flags: GatewayFlags, io: Io): Promise<string> {
	const { policyFile, data } = await readConfig(flags, io);
	return policyFile ?? join(data, "policy.jsonc");
}
