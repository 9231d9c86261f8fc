import { defined } from "@parley/base";
import * as z from "zod";
import type { ActionClass } from "../vocabulary/taint.ts";
import { defineTool, type Tool, type ToolContext, type ToolEffect } from "../vocabulary/tool.ts";

export interface ProbeOptions {
	/** `effectful` unless told. */
	readonly effect?: ToolEffect;
	/** `["read"]`, which is allowed without asking, unless told. */
	readonly classes?: readonly ActionClass[];
	/** Facts that an approval is bound to. */
	readonly binding?: () => Record<string, string>;
	/** Root of the scope if an approval for the session is offered. */
	readonly grantRoot?: string;
	readonly run?: (context: ToolContext) => Promise<string>;
}

/** A tool that takes any arguments and returns its name with them, or what `run` says. */
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
