import { type ResolvedPath, shownPath } from "../../filesystem/paths.ts";
import { mixedScriptNotes, visible } from "../../text/visible.ts";
import type { ActionClass } from "../../vocabulary/action-class.ts";
import type { ToolContext, ToolPlan } from "../../vocabulary/tool.ts";

interface Reading {
	readonly tool: string;
	/** What is done, for people; the shown path follows. */
	readonly verb: string;
	/** Whether what is read may hold keys or passwords. */
	readonly secret: boolean;
}

/** The plan of a call that reads what lies at a path, bound to that place. */
export function planRead(
	{ tool, verb, secret }: Reading,
	{ path, root }: Pick<ResolvedPath, "path" | "root">,
	{ cwd, roots }: Pick<ToolContext, "cwd" | "roots">,
): ToolPlan {
	const classes: ActionClass[] = [root === undefined ? "outside-read" : "read"];
	if (secret) classes.push("secret");
	const shown = shownPath(path, cwd);
	return {
		label: `${verb} ${visible(shown)}`,
		classes,
		preview: "",
		binding: { path },
		...(root !== undefined && classes.length === 1 && { grant: { kind: "path", tool, root } }),
		notes: [
			...(root === undefined ? [`outside of ${roots.join(", ")}`] : []),
			...(secret ? ["may hold keys or passwords"] : []),
			...mixedScriptNotes(shown),
		],
	};
}
