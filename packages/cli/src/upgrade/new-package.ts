import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ParleyError, parseJson } from "@parley/base";
import { defined } from "@parley/base/defined";
import type { OperatorCommandResult } from "@parley/core";
import type { Machine } from "../service/machine.ts";
import { upgradeErrors as texts } from "../texts/upgrade.ts";
import { placesOf, type UpgradeJournal } from "./upgrade-journal.ts";

/** A package version that npm can install. */
export interface Offer {
	/** Package argument for npm. */
	readonly spec: string;
	readonly version: string;
}

interface OfferRequest {
	/** Version, tag or path. Undefined for the latest version. */
	readonly to: string | undefined;
	readonly name: string;
	readonly cwd: string;
}

/** Finds the package version to install. If `to` is not a path, npm asks its configured registry. */
export async function findOffer(
	{ to = "latest", name, cwd }: OfferRequest,
	machine: Machine,
): Promise<Offer> {
	const isPath = /[/\\]|\.t(?:ar\.)?gz$|^\.{1,2}$/.test(to);
	if (!isPath && !/^[\w.+^~-]+$/.test(to)) {
		throw new ParleyError(texts.invalidVersion({ to }), { code: "invalid_argument" });
	}
	if (isPath) return offerOf(resolve(cwd, to), name, machine);
	const found = await npm(["view", `${name}@${to}`, "version", "--json"], machine);
	// A range matches several versions. The newest is the last one.
	const versions: unknown = [parseJson(found || "null")].flat().at(-1);
	if (typeof versions !== "string") {
		throw new ParleyError(texts.invalidVersion({ to }), { code: "invalid_argument" });
	}
	return { spec: `${name}@${versions}`, version: versions };
}

async function offerOf(file: string, name: string, machine: Machine): Promise<Offer> {
	// For a directory, npm would only create a link.
	if (!statSync(file, { throwIfNoEntry: false })?.isFile())
		throw new ParleyError(texts.noFile({ file }), { code: "not_found" });
	const packed = parseJson(await npm(["pack", file, "--dry-run", "--json", "--ignore-scripts"], machine));
	const [facts] = Array.isArray(packed) ? packed : Object.values(Object(packed));
	const { name: found, version }: { name?: unknown; version?: unknown } = Object(facts);
	if (found !== name || typeof version !== "string") {
		throw new ParleyError(texts.otherPackage({ found: String(found), name }), { code: "invalid_argument" });
	}
	return { spec: file, version };
}

/** Installs the package in the staging directory, and starts its program once as a test. */
export async function stagePackage(
	journal: UpgradeJournal,
	{ spec }: Offer,
	{ machine, signal }: { readonly machine: Machine; readonly signal: AbortSignal },
): Promise<void> {
	const { stage, staged } = placesOf(journal);
	await mkdir(stage, { recursive: true, mode: 0o700 });
	await npm(["install", "--global", "--prefix", stage, "--no-audit", "--no-fund", spec], machine, signal);
	const { version } = parseJson(readFileSync(join(staged, "package.json"), "utf8")) as {
		// npm refuses to install a package without this field.
		readonly version: string;
	};
	const { to } = journal;
	const printed = (await runProgram(staged, ["--version"], machine)).trim();
	const wrong = [version, printed].find((found) => found !== to);
	if (wrong !== undefined) {
		throw new ParleyError(texts.otherVersion({ found: wrong, to }), { code: "failed_precondition" });
	}
}

/**
 * Runs a command of the package in the directory `home`. Resolves with the output of the command. If the exit code is
 * not 0, rejects with the error output of the command.
 */
export async function runProgram(home: string, args: readonly string[], machine: Machine): Promise<string> {
	const { code, output, errors } = await callProgram(home, args, machine);
	if (code === 0) return output;
	const reason = errors.trim().replace(/^parley: /, "") || texts.noReason;
	throw new ParleyError(reason, { code: "failed_precondition" });
}

/** Runs a command of the package in the directory `home`. Resolves with the result for any exit code. */
export async function callProgram(
	home: string,
	args: readonly string[],
	machine: Machine,
): Promise<OperatorCommandResult> {
	const program = join(home, "bin/parley.mjs");
	// The new package might not contain the Node of the old package, which runs this process.
	const [command, ...before] = existsSync(process.execPath) ? [process.execPath, program] : [program];
	return await machine.run(command, [...before, ...args]);
}

async function npm(args: readonly string[], machine: Machine, signal?: AbortSignal): Promise<string> {
	// `npm run --silent` sets a log level that would hide the reason for a failure, so the code sets its own level.
	const quiet = { npm_config_update_notifier: "false", npm_config_loglevel: "error" };
	const environment = { ...machine.environment, ...quiet };
	const found = await machine.run("npm", args, defined({ environment, signal })).catch((cause: unknown) => {
		throw new ParleyError(texts.noNpm, { code: "failed_precondition", cause });
	});
	const { code, output, errors } = found;
	if (code === 0) return output;
	const lines = errors.split("\n").filter((line) => /^npm (?:error|ERR!) /.test(line));
	const words = lines.map((line) => line.replace(/^npm (?:error|ERR!) (?:code |\d{3} )?/, "").trim());
	const reason =
		words
			.filter((line) => line !== "")
			.slice(0, 3)
			.join("; ") || texts.noReason;
	const call = `npm ${args.join(" ")}`;
	throw new ParleyError(texts.npmFailed({ call, reason }), { code: "unavailable" });
}
