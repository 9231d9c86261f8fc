import { resolve } from "node:path";
import { homeDirectory } from "@parley/base/own-account";
import { ruleNameOf, type Tool, type ToolContext, type ToolPlan } from "../vocabulary/tool.ts";
import { type FoundCommands, findCommands } from "./commands/judge-command.ts";
import { namedPaths } from "./commands/places.ts";
import { splitPlainly } from "./commands/words.ts";

/** A call to be decided about. Without `args` and `context` nothing but its plan is known of it. */
export interface JudgedCall {
	readonly tool: Pick<Tool, "name" | "ruleName" | "command">;
	readonly plan: ToolPlan;
	readonly args?: unknown;
	readonly context?: Pick<ToolContext, "cwd" | "roots" | "forbidden">;
}

/** What rules can ask of a call; what takes long to find out is found out when the first one asks. */
export class CallFacts {
	/** The one that rules know. */
	readonly name: string;
	readonly plan: ToolPlan;
	readonly roots: readonly string[];
	readonly #call: JudgedCall;
	#found: FoundCommands | undefined;

	constructor(call: JudgedCall) {
		this.name = ruleNameOf(call.tool);
		this.plan = call.plan;
		this.roots = call.context?.roots ?? [];
		this.#call = call;
	}

	/** Whether it runs a program. */
	get runs(): boolean {
		return this.#call.tool.command !== undefined && this.#call.args !== undefined;
	}

	/** The real path that it is about. */
	get path(): string | undefined {
		return this.plan.binding["path"];
	}

	/** That path, and as it was written. */
	get paths(): readonly string[] {
		const { args, context } = this.#call;
		// What is no object has no such property.
		const written: unknown = Object(args).path;
		return [
			...(this.path === undefined ? [] : [this.path]),
			...(typeof written === "string" && context ? [resolve(context.cwd, written)] : []),
		];
	}

	/** The host that it reaches. */
	get host(): string | undefined {
		const url = this.plan.binding["url"];
		return url === undefined ? undefined : URL.parse(url)?.hostname.replace(/\.$/, "");
	}

	/** All that it runs, where nothing about that is in doubt. */
	get plain(): readonly (readonly string[])[] | undefined {
		const command = this.#command();
		return typeof command === "string" ? splitPlainly(command) : command && [command];
	}

	/** All that it may run and name, as far as anybody can tell. */
	get found(): FoundCommands {
		this.#found ??= this.#find();
		return this.#found;
	}

	#command(): string | readonly string[] | undefined {
		const { tool, args } = this.#call;
		return args === undefined ? undefined : tool.command?.(args);
	}

	#find(): FoundCommands {
		const command = this.#command() ?? [];
		const { cwd, roots, forbidden } = this.#call.context ?? { cwd: "/", roots: [], forbidden: [] };
		const home = homeDirectory();
		if (typeof command === "string") return findCommands(command, { cwd, roots, forbidden, home });
		// No shell reads these words.
		const paths = new Set(command.flatMap((word) => namedPaths(word, cwd, home)));
		return { seen: [{ words: command, hidden: false }], paths, whole: true };
	}
}
