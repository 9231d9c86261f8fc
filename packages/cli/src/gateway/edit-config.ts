import { readFile, rm } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { ParleyError, systemClock } from "@parley/base";
import { runOnTerminal } from "@parley/core";
import {
	type ChangedSettings,
	type ConfigSources,
	readConfigText,
	replaceConfigText,
	writeDraft,
} from "@parley/gateway/settings";
import type { Io } from "../command-line/io.ts";
import { printRows } from "../command-line/output.ts";
import { UsageError } from "../command-line/usage.ts";
import { visibleText } from "../text/visible.ts";
import { configMessages } from "../texts/commands/gateway/config.ts";
import { type ConfigFlags, configSources, reportChange } from "./change-config.ts";

/**
 * Opens a copy of the configuration file in the operator's editor. If the copy is valid, it replaces the file.
 * Otherwise, the operator can edit the copy again. Returns the exit code: 1 if the operator leaves an invalid copy.
 */
export async function editSettings(flags: ConfigFlags, io: Io): Promise<number> {
	if (!io.stdin.isTTY || !io.stdout.isTTY) throw new UsageError(configMessages.needsTerminal);
	const sources = await configSources(flags, io);
	const { path, text: before } = await readConfigText(sources);
	const draft = await writeDraft(path, before);
	// Ctrl-C in the editor must not end this process.
	const stay = (): void => undefined;
	process.on("SIGINT", stay);
	try {
		do {
			await runEditor(draft, io);
			const text = await readFile(draft, "utf8");
			const changed = await storeIfValid(text, before, sources, io);
			if (!changed) continue;
			const message = changed.isChanged ? configMessages.stored : configMessages.unchanged;
			if (!flags.json) printRows([message({ path })], io);
			await reportChange(changed, {}, { flags, io });
			return 0;
		} while (await confirmsRetry(io));
		return 1;
	} finally {
		process.off("SIGINT", stay);
		await rm(draft, { force: true });
	}
}

async function runEditor(draft: string, { environment }: Io): Promise<void> {
	const editor = environment["VISUAL"] || environment["EDITOR"] || "vi";
	const code = await runOnTerminal(editor, draft);
	if (code === 0) return;
	throw new ParleyError(configMessages.editorFailed({ editor, code }), { code: "failed_precondition" });
}

/**
 * Stores a valid text and resolves with the changed settings. For an invalid text, prints the reason and resolves
 * with undefined.
 */
async function storeIfValid(
	text: string,
	before: string,
	sources: ConfigSources,
	io: Io,
): Promise<ChangedSettings | undefined> {
	try {
		return await replaceConfigText(text, before, { sources, clock: systemClock });
	} catch (error) {
		const { code, message } = ParleyError.from(error);
		if (code !== "invalid_argument") throw error;
		io.stderr.write(`${visibleText(configMessages.invalid({ message }))}\n`);
		return undefined;
	}
}

async function confirmsRetry(io: Io): Promise<boolean> {
	const lines = createInterface({ input: io.stdin, output: io.stderr });
	const closed = Promise.withResolvers<string>();
	lines.once("close", () => closed.resolve("n"));
	try {
		const answer = await Promise.race([lines.question(configMessages.again), closed.promise]);
		return !/^n/i.test(answer.trim());
	} finally {
		lines.close();
	}
}
