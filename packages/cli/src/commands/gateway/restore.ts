import { defined } from "@parley/base/defined";
import { Command, InvalidArgumentError, Option } from "commander";
import { chosenDataDirectory } from "../../command-line/data-directory.ts";
import type { Io } from "../../command-line/io.ts";
import { backupHelp, restoreHelp, restoreMessages } from "../../texts/commands/gateway/backup.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

interface RestoreFlags {
	readonly data?: string;
	readonly force?: boolean;
	readonly verify?: boolean;
	readonly maxSize?: number;
	readonly maxRatio?: number;
	readonly json?: boolean;
	readonly testHooks?: string;
}

export function restoreCommand(io: Io): Command {
	return new Command("restore")
		.description(restoreHelp.description)
		.argument("<file>", restoreHelp.file)
		.option("--data <dir>", sharedHelp.data)
		.option("--force", restoreHelp.force)
		.option("--verify", restoreHelp.verify)
		.option("--max-size <size>", restoreHelp.maxSize, readSize)
		.option("--max-ratio <n>", restoreHelp.maxRatio, readRatio)
		.option("--json", sharedHelp.json)
		.addOption(new Option("--test-hooks <spec>").hideHelp())
		.addHelpText("after", restoreHelp.notes.trimEnd())
		.action(async (file: string, flags: RestoreFlags) => {
			const { restoreFromFile, verifyFile } = await import("../../backup/backup-file.ts");
			const json = flags.json === true;
			const { maxSize, maxRatio } = flags;
			const limits = defined({ maxBytes: maxSize, maxRatio });
			if (flags.verify) return verifyFile({ file, json, limits }, io);
			const data = await chosenDataDirectory(flags.data, io);
			const { force = false, testHooks } = flags;
			await restoreFromFile(defined({ file, data, force, json, limits, testHooks }), io);
		});
}

const units: Readonly<Record<string, number>> = { kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** Reads a number of bytes, for example `500MB` or `1048576`. */
function readSize(text: string): number {
	const [, number = "", unit = ""] = /^(\d{1,15}(?:\.\d{1,3})?)(|kb|mb|gb|tb)$/i.exec(text) ?? [];
	if (number === "") throw new InvalidArgumentError(restoreMessages.invalidSize);
	return Number(number) * (units[unit.toLowerCase()] ?? 1);
}

function readRatio(text: string): number {
	if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
	throw new InvalidArgumentError(restoreMessages.invalidRatio);
}

interface BackupFlags {
	readonly data?: string;
	readonly force?: boolean;
	readonly json?: boolean;
}

export function backupCommand(io: Io, version: string): Command {
	return new Command("backup")
		.description(backupHelp.description)
		.argument("<file>", backupHelp.file)
		.option("--data <dir>", sharedHelp.data)
		.option("--force", sharedHelp.replaceFile)
		.option("--json", sharedHelp.json)
		.addHelpText("after", backupHelp.notes.trimEnd())
		.action(async (file: string, flags: BackupFlags) => {
			const data = await chosenDataDirectory(flags.data, io);
			const { saveToFile } = await import("../../backup/backup-file.ts");
			await saveToFile({ file, data, version, force: flags.force === true, json: flags.json === true }, io);
		});
}
