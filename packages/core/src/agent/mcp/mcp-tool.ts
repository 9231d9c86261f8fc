import { createHash } from "node:crypto";
import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import { definedItems, type Ids, ParleyError } from "@parley/base";
import canonicalize from "canonicalize";
import * as z from "zod";
import { isWithin } from "../../filesystem/paths.ts";
import { mixedScriptNotes, visible } from "../../text/visible.ts";
import { directoryRulePrefix, type McpServerSettings } from "../../vocabulary/mcp/server.ts";
import type { ActionClass } from "../../vocabulary/taint.ts";
import { defineTool, type Tool, type ToolContext } from "../../vocabulary/tool.ts";
import type { ApprovedTools } from "./approved-tools.ts";
import type { McpServer, ServerTool } from "./mcp-server.ts";
import { resultOf } from "./result-text.ts";
import { mcpToolTexts } from "./texts.ts";

/** Server of a tool, with the checked description of the tool. */
export interface ToolHome {
	readonly settings: McpServerSettings;
	readonly server: McpServer;
	readonly ids: Ids;
	readonly approved: ApprovedTools;
	/** Description and schema of the tool as models get them. */
	readonly described: { readonly description: string; readonly schema: Readonly<Record<string, unknown>> };
}

/**
 * Returns a hash of the listed tool. If the hash has changed since an approval, the approval was for a different
 * description.
 */
function hashOfTool({ name, title, description, inputSchema, annotations }: ListedTool): string {
	const facts = { name, title, description, inputSchema, annotations };
	return createHash("sha256")
		.update(canonicalize(facts) ?? "")
		.digest("hex");
}

/**
 * Returns a tool of a server. Annotations of the server can add action classes to calls of the tool, but cannot remove
 * classes.
 */
export function mcpTool({ name, listed }: ServerTool, home: ToolHome): Tool {
	const { settings, server, ids, approved, described } = home;
	const hash = hashOfTool(listed);
	const { directory } = settings;
	const notes = [
		directory === undefined
			? mcpToolTexts.note(settings.name)
			: mcpToolTexts.ofDirectory(settings.name, visible(directory)),
	];
	const ruleName = directory === undefined ? name : `${directoryRulePrefix}${name}`;
	const called = { name: ruleName, directory: directory ?? "", hash };
	return defineTool<Record<string, unknown>>({
		name,
		ruleName,
		description: described.description,
		parameters: () => z.record(z.string(), z.unknown()),
		schema: () => described.schema,
		// A call may have an effect that the server does not know or does not report.
		effect: "effectful",
		usual: ["mcp"],
		async plan(args, context) {
			const line = visible(JSON.stringify(args));
			const hasChanged = await approved.hasChanged(called);
			return {
				label: `${name} ${line}`,
				classes: [...classesOf(listed, settings, context), ...(hasChanged ? changedClasses : [])],
				preview: "",
				binding: { server: settings.name, tool: hash },
				grant: { kind: "argv", tool: ruleName, prefix: [hash] },
				notes: [...notes, ...mixedScriptNotes(line)],
			};
		},
		async run(args, plan, { signal, ask, redact, reply }) {
			const now = server.tools.find((one) => one.name === name);
			if (plan.binding["tool"] !== hash || !now || hashOfTool(now.listed) !== hash) {
				throw new ParleyError(mcpToolTexts.changed(name), { code: "failed_precondition" });
			}
			await approved.record(called);
			const result = await server.call(listed.name, args, {
				timeoutMs: settings.timeoutMs,
				signal,
				ask,
				redact,
				reply,
			});
			return resultOf(result, settings.name, ids.create("mcp"));
		},
	});
}

const changedClasses: readonly ActionClass[] = ["mcp-changed"];

/**
 * Returns the classes of a call. Annotations only add classes, because a server may lie about the effects of its
 * tool.
 */
function classesOf(
	{ annotations = {} }: ListedTool,
	settings: McpServerSettings,
	{ roots, sandbox }: ToolContext,
): ActionClass[] {
	const isRemote = "url" in settings;
	// In a container, a server program has access to the network and the files of the gateway.
	const isExposed = !isRemote && sandbox.mode === "container";
	const hasNetwork = isRemote || settings.hosts.length > 0 || isExposed;
	const places = isRemote ? [] : [...settings.read, ...settings.write];
	const isBeyond = isExposed || places.some((place) => !roots.some((root) => isWithin(place, root)));
	// With credentials, the server can return private data of an account. Any header can be a credential.
	const hasLogin = isRemote && (settings.login !== undefined || Object.keys(settings.headers).length > 0);
	const isPrivate = isBeyond || settings.secrets.length > 0 || hasLogin;
	return definedItems([
		"mcp",
		isPrivate ? "outside-read" : undefined,
		annotations.destructiveHint === true ? "irreversible" : undefined,
		hasNetwork || annotations.openWorldHint === true ? "egress" : undefined,
	]);
}
