import { defined } from "@parley/base";
import * as z from "zod";
import type { ActionClass } from "../vocabulary/taint.ts";
import { defineTool, type Tool, type ToolContext, type ToolEffect } from "../vocabulary/tool.ts";

export interface ProbeOptions {
	/** Default: `effectful`. */
	readonly effect?: ToolEffect;
	/** Default: `["read"]`, which is allowed without approval. */
	readonly classes?: readonly ActionClass[];
	/** Returns the facts that an approval is bound to, by name. */
	readonly binding?: () => Record<string, string>;
	/** Root that an approval for the session covers. If absent, the call can be approved only once. */
	readonly grantRoot?: string;
	readonly run?: (context: ToolContext) => Promise<string>;
}

/**
 * Returns a tool that accepts any arguments. A call results in the name of the tool with the arguments, or in the result
 * of `run`.
 */
export function probeTool(name: string, options: ProbeOptions = {}): Tool {
	const { effect = "effectful", classes = ["read"], binding = () => ({}), run, grantRoot } = options;
	return defineTool({
		name,
		description: `Probes ${name}.`,
		parameters: () => z.record(z.string(), z.unknown()),
		effect,
		async plan() {
			return {
				label: name,
				classes,
				preview: "",
				binding: binding(),
				notes: [],
				...defined({
					grant: grantRoot === undefined ? undefined : { kind: "path" as const, tool: name, root: grantRoot },
				}),
			};
		},
		async run(args, _plan, context) {
			return { text: run ? await run(context) : `${name} ${JSON.stringify(args)}`, failed: false };
		},
	});
}
