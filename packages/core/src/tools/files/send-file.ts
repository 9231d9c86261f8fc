import { basename } from "node:path";
import * as z from "zod";
import { pathLeniency, resolvePath } from "../../filesystem/paths.ts";
import { isSecret } from "../../filesystem/sensitive-paths.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import { planRead } from "./read-file.ts";
import { pathTexts, sendFileTexts } from "./texts.ts";

const parameters = () =>
	z.strictObject({
		path: z.string().describe(pathTexts.file),
		name: z.string().min(1).max(200).optional().describe(sendFileTexts.name),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/**
 * Shares a copy of a file with all participants of the session. The copy has the content at the time of the
 * call.
 */
export const sendFile = defineTool<Arguments>({
	name: "send_file",
	description: sendFileTexts.description,
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
		return { text: pathTexts.otherFile, failed: true };
	}
	const { name, mediaType, bytes } = await context.share(path, args.name ?? basename(path));
	return { text: `sent ${JSON.stringify(name)} (${mediaType}, ${bytes} bytes)`, failed: false };
}
