import { join } from "node:path";
import { definedItems } from "@parley/base";
import * as z from "zod";
import { compileGlob } from "../../filesystem/glob.ts";
import { forReading, resolvePath, shownPath } from "../../filesystem/paths.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import { planRead } from "./read-file.ts";
import { listFilesTexts, pathTexts } from "./texts.ts";
import { boundedLines, findTreeFiles, requireDirectory } from "./tree-files.ts";

const MAX_LINES = 2_000;
const MAX_BYTES = 64 * 1024;
const DEFAULT_DEPTH = 2;
const MAX_DEPTH = 100;

const parameters = () =>
	z.strictObject({
		path: z.string().default(".").describe(pathTexts.directory),
		pattern: z.string().max(500).optional().describe(pathTexts.glob),
		depth: z.int().min(1).max(MAX_DEPTH).optional().describe(listFilesTexts.depth),
		hidden: z.boolean().default(false).describe(listFilesTexts.hidden),
		limit: z.int().min(1).max(MAX_LINES).default(500).describe(listFilesTexts.maxResults),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/**
 * Lists files, sorted by name. Leaves out links, files that `.gitignore` or `.ignore` excludes, and by
 * default hidden files.
 */
export const listFiles = defineTool<Arguments>({
	name: "list_files",
	description: listFilesTexts.description,
	parameters,
	accepts: {
		names: ["ls", "glob"],
		ignored: ["description"],
		parameters: {
			path: { names: ["directory", "dir"] },
			depth: { atMost: true },
			limit: { atMost: true },
		},
	},
	effect: "none",
	usual: ["read"],
	plan,
	run,
});

async function plan({ path: text, pattern }: Arguments, toolContext: ToolContext): Promise<ToolPlan> {
	const context = forReading(text, toolContext);
	if (pattern !== undefined) compileGlob(pattern);
	const resolved = await resolvePath(text, context);
	await requireDirectory(resolved.path, text);
	// File names reveal no keys.
	return planRead({ tool: "list_files", verb: "list", secret: false }, resolved, context);
}

async function run(args: Arguments, approved: ToolPlan, toolContext: ToolContext): Promise<ToolResult> {
	const context = forReading(args.path, toolContext);
	const { path } = await resolvePath(args.path, context);
	if (path !== approved.binding["path"]) {
		return { text: pathTexts.otherDirectory, failed: true };
	}
	await requireDirectory(path, args.path);
	const { files, incomplete } = await findTreeFiles(path, args.hidden, context);
	const fits = args.pattern === undefined ? () => true : compileGlob(args.pattern);
	const depth = args.depth ?? (args.pattern === undefined ? DEFAULT_DEPTH : MAX_DEPTH);
	const lines = foldLevels(files.filter(fits), depth).map((line) => inDirectory(path, line, context.cwd));
	const shown = boundedLines(lines, { count: args.limit, bytes: MAX_BYTES });
	const notes = definedItems([
		lines.length === 0 ? noFiles(args, files.length) : undefined,
		shown.length < lines.length ? listFilesTexts.more(lines.length - shown.length) : undefined,
		incomplete,
	]);
	return { text: [...shown, ...notes.map((note) => `[… ${note} …]`)].join("\n"), failed: false };
}

/** Returns the line with a path relative to `cwd`, or absolute if `directory` is outside `cwd`. */
function inDirectory(directory: string, line: string, cwd: string): string {
	const shown = shownPath(directory, cwd);
	return shown === "." ? line : join(shown, line);
}

function noFiles({ pattern, hidden }: Arguments, others: number): string {
	if (pattern !== undefined && others > 0) return listFilesTexts.noneFits(others);
	return listFilesTexts.none(hidden);
}

/**
 * Returns the lines of a listing: each file down to `depth` levels, and each directory at that depth with its number of
 * files. `files` must be relative paths in ascending order.
 */
export function foldLevels(files: readonly string[], depth: number): string[] {
	const lines: { readonly path: string; files: number }[] = [];
	for (const file of files) {
		const names = file.split("/");
		const path = names.length > depth ? `${names.slice(0, depth).join("/")}/` : file;
		const last = lines.at(-1);
		if (last?.path === path) last.files += 1;
		else lines.push({ path, files: 1 });
	}
	return lines.map(({ path, files: count }) =>
		path.endsWith("/") ? `${path} (${count} ${count === 1 ? "file" : "files"})` : path,
	);
}
