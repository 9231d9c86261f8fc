import { basename } from "node:path";
import * as z from "zod";
import { pathLeniency, resolvePath } from "../../filesystem/paths.ts";
import { isSecret } from "../../filesystem/sensitive-paths.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import { planRead } from "./read-file.ts";

const parameters = () =>
	z.strictObject({
		path: z.string().describe("The file, relative to the working directory or absolute. ~ is not expanded."),
		name: z
			.string()
			.min(1)
			.max(200)
			.optional()
			.describe("The name that people see. Default: the name of the file."),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Shares a copy of the present file with the people of the session. */
export const sendFile = defineTool<Arguments>({
	name: "send_file",
	description:
		"Gives the people in this conversation a copy of a file, which they can download. Use it when they ask for a " +
		"file, or when the result of your work is a file: a report, an image, an archive. Pack a directory into an " +
		"archive first. Not for text that fits into your answer, not for files that people only want changed in " +
		"place, or for a file that you already sent unchanged.",
	parameters,
	accepts: { ignored: ["description"], parameters: { path: pathLeniency } },
	effect: "idempotent",
	usual: ["read"],
	plan,
	run,
});

async function plan({ path: text }: Arguments, context: ToolContext): Promise<ToolPlan> {
	const resolved = await resolvePath(text, context);
	const secret = isSecret(resolved.path, resolved.written);
	return planRead({ tool: "send_file", verb: "send", secret }, resolved, context);
}

async function run(args: Arguments, approved: ToolPlan, context: ToolContext): Promise<ToolResult> {
	const { path } = await resolvePath(args.path, context);
	if (path !== approved.binding["path"]) {
		return { text: "changed since it was approved: the path leads to another file", failed: true };
	}
	const { name, mediaType, bytes } = await context.share(path, args.name ?? basename(path));
	return { text: `sent ${JSON.stringify(name)} (${mediaType}, ${bytes} bytes)`, failed: false };
}
