import { isUtf8 } from "node:buffer";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ParleyError } from "@parley/base";
import * as z from "zod";
import { fileError, isNotFound } from "../../filesystem/file-error.ts";
import { pathLeniency } from "../../filesystem/paths.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import { resultDiff } from "./result-diff.ts";
import { pathTexts, writeFileTexts } from "./texts.ts";
import { previewWrite, type ShownContent } from "./write-preview.ts";
import {
	changed,
	findTarget,
	inspectApproved,
	planWrite,
	putContent,
	type WriteTarget,
} from "./write-target.ts";

const MAX_BYTES = 256 * 1024;

const parameters = () =>
	z.strictObject({
		path: z.string().describe(pathTexts.file),
		content: z.string().describe(writeFileTexts.content),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Writes a complete file, atomically. Preserves permissions, and creates missing directories inside the roots. */
export const writeFile = defineTool<Arguments>({
	name: "write_file",
	description: writeFileTexts.description,
	parameters,
	accepts: {
		names: ["write"],
		ignored: ["description"],
		parameters: { path: pathLeniency, content: { names: ["contents"] } },
	},
	effect: "effectful",
	usual: ["write"],
	plan,
	run,
});

async function plan({ path: text, content }: Arguments, context: ToolContext): Promise<ToolPlan> {
	const bytes = Buffer.byteLength(content);
	if (bytes > MAX_BYTES) {
		throw new ParleyError(writeFileTexts.tooLarge(bytes, MAX_BYTES), {
			code: "invalid_argument",
		});
	}
	const target = await findTarget(text, context);
	const { state, shown } = target;
	const isNew = state.mode === undefined;
	if (target.root === undefined && isNew) await requireDirectory(target.path, text);
	const preview = previewWrite(shown, oldContent(target), content);
	const note = isNew ? writeFileTexts.creates : writeFileTexts.replaces(state.size);
	return planWrite({ tool: "write_file", verb: "write" }, target, { preview, note, text: content }, context);
}

async function run(
	{ path, content }: Arguments,
	approved: ToolPlan,
	context: ToolContext,
): Promise<ToolResult> {
	const target = await inspectApproved(path, approved, context);
	if (typeof target === "string") return changed(target);
	await putContent(target, { content, shown: path }, context);
	const { mode, size } = target.state;
	const effect = mode === undefined ? writeFileTexts.newFile : `replaced ${size} bytes`;
	const summary = writeFileTexts.wrote(Buffer.byteLength(content), path, effect);
	// Outside the roots and in a secret file, the old content is private.
	const isPrivate = approved.classes.some((name) => name === "secret" || name === "outside-write");
	const diff = isPrivate ? "" : differenceTo(content, target.state.content);
	return { text: diff === "" ? summary : `${summary}\n${diff}`, failed: false };
}

/**
 * Returns the diff from `old` to `content`, or "" if `old` is absent, too long or not text. It is possible that the model
 * has not read the replaced lines.
 */
function differenceTo(content: string, old: Buffer | undefined): string {
	return old === undefined || old.includes(0) || !isUtf8(old) ? "" : resultDiff(old.toString(), content);
}

async function requireDirectory(path: string, text: string): Promise<void> {
	try {
		await stat(dirname(path));
	} catch (cause) {
		if (!isNotFound(cause)) throw fileError(pathTexts.cannotWrite(text), cause);
		throw new ParleyError(writeFileTexts.noDirectory(text), { code: "not_found", cause });
	}
}

function oldContent({ state, classes }: WriteTarget): ShownContent {
	if (state.mode === undefined) return { kind: "absent" };
	if (classes.includes("secret")) return { kind: "hidden", reason: writeFileTexts.secretContent };
	const binary = state.content?.includes(0);
	if (state.content === undefined || binary) {
		const reason = binary ? "binary" : writeFileTexts.tooLong;
		return { kind: "hidden", reason: writeFileTexts.oldContent(state.size, reason) };
	}
	return { kind: "text", text: state.content.toString() };
}
