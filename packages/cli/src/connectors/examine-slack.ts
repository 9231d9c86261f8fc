import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { defined, ParleyError, parseJson, silentLogger, systemClock } from "@parley/base";
import { commandTable } from "@parley/connector";
import {
	differenceWords,
	examineSlack as examine,
	type Manifest,
	manifestDiff,
	manifestOf,
	openChecks,
	readManifest,
	type SlackChecks,
	setupSteps,
} from "@parley/slack";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import { UsageError } from "../command-line/usage.ts";
import { type Platform, slack, slackOverHttp } from "../gateway/platform.ts";
import { manifestTexts } from "../texts/connectors/slack.ts";
import { examineConnector } from "./examine-connector.ts";
import { readConnectorConfig } from "./run-connector.ts";
import type { SlackFlags } from "./run-slack-connector.ts";
import { setUpConnector } from "./set-up-connector.ts";
import { trySlackSettings } from "./slack-settings.ts";

/** Prints the findings about the app. Returns the exit code: 1 if a check fails. */
export async function examineSlack(options: {
	readonly flags: SlackFlags & { readonly json?: boolean };
	readonly io: Io;
}): Promise<number> {
	const { flags, io } = options;
	const checks = await openSlackChecks(options);
	return examineConnector({ platform: platformOf(checks), flags, io, found: examine(checks) });
}

function platformOf({ http }: SlackChecks): Platform {
	return http === undefined ? slack : slackOverHttp;
}

async function openSlackChecks({
	flags,
	io,
}: {
	readonly flags: SlackFlags;
	readonly io: Io;
}): Promise<SlackChecks> {
	const config = await readConnectorConfig(flags, io);
	const { botToken = "", transport, isHttp, wrong } = trySlackSettings(io, config, flags.listen);
	const connection =
		transport && "appToken" in transport
			? transport
			: defined({ http: isHttp ? (transport ?? {}) : undefined });
	return openChecks({
		botToken,
		wrong,
		apiUrl: config.slack?.apiUrl,
		clock: systemClock,
		log: silentLogger,
		...connection,
	});
}

/** Guides a person through the setup of a Slack app. Returns the exit code. */
export async function setUpSlack(flags: SlackFlags, io: Io): Promise<number> {
	const checks = await openSlackChecks({ flags, io });
	const way = {
		platform: platformOf(checks),
		hasToken: (io.environment["SLACK_BOT_TOKEN"] ?? "").trim() !== "",
		// With HTTP, Slack's requests arrive only while the connector listens.
		withConnector: checks.http?.probe === undefined ? ["rooms"] : ["transport", "rooms"],
		...defined({ connectorArgs: flags.listen === undefined ? undefined : ["--listen", flags.listen] }),
		steps: (answered: (signal: AbortSignal) => Promise<void>, patienceMs: number) =>
			setupSteps({ ...checks, answered, patienceMs }),
	};
	return setUpConnector(way, flags, io);
}

export interface ManifestFlags {
	/** Public URL of the connector, if Slack uses HTTP. */
	readonly publicUrl?: string;
	/** File with an installed manifest. `-` means standard input. */
	readonly diff?: string;
	readonly json?: boolean;
}

/**
 * Prints the manifest of the app, or the differences from an installed manifest. Returns the exit code: 1 if the
 * manifests differ.
 */
export async function slackManifest({ publicUrl, diff, json }: ManifestFlags, io: Io): Promise<number> {
	const url = publicUrl === undefined ? {} : { publicUrl: readPublicUrl(publicUrl) };
	const requested = manifestOf({ shapes: commandTable, ...url });
	if (diff === undefined) {
		io.stdout.write(`${JSON.stringify(requested, undefined, 2)}\n`);
		return 0;
	}
	return compare(await readInstalled(diff, io), requested, { json: json === true, io });
}

function compare(
	installed: Manifest,
	requested: Manifest,
	{ json, io }: { readonly json: boolean; readonly io: Io },
): number {
	const differences = manifestDiff(installed, requested);
	if (json) printJson(differences, io);
	else if (differences.length === 0) printRows([manifestTexts.matches], io);
	else printRows(differences.map(differenceWords), io);
	return differences.length === 0 ? 0 : 1;
}

async function readInstalled(file: string, io: Io): Promise<Manifest> {
	const text =
		file === "-" ? await readAll(io) : await readFile(resolve(io.cwd, file), "utf8").catch(unreadable(file));
	const name = file === "-" ? manifestTexts.standardInput : file;
	let data: unknown;
	try {
		data = parseJson(text);
	} catch (cause) {
		throw new ParleyError(manifestTexts.notJson({ file: name }), { code: "invalid_argument", cause });
	}
	const manifest = readManifest(data);
	if (manifest) return manifest;
	throw new ParleyError(manifestTexts.noManifest({ file: name }), { code: "invalid_argument" });
}

function unreadable(file: string): (cause: unknown) => never {
	return (cause) => {
		throw new ParleyError(manifestTexts.unreadable({ file }), { code: "not_found", cause });
	};
}

async function readAll({ stdin }: Io): Promise<string> {
	let text = "";
	for await (const chunk of stdin) text += String(chunk);
	return text;
}

/**
 * Reads a public URL. Throws unless it uses `https:` and has no path or query, because the connector adds its own
 * path.
 */
function readPublicUrl(text: string): string {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (url?.protocol !== "https:") {
		throw new UsageError(manifestTexts.insecureUrl({ url: text }));
	}
	if (url.href === `${url.origin}/`) return url.origin;
	throw new UsageError(manifestTexts.urlWithPath({ url: text, origin: url.origin }));
}
