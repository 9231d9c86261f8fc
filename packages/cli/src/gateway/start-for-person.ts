import { ParleyError } from "@parley/base";
import type { Gateway } from "@parley/gateway";
import { defaultDataDirectory } from "../data-directory.ts";
import { findRunningGateway } from "../running-gateway.ts";
import { alignColumns } from "../text/columns.ts";
import { createStyles, type Styles, wantsColours } from "../text/styles.ts";
import { humanLog } from "./human-log.ts";
import { type RunOptions, readConfig, runGateway } from "./run-gateway.ts";

/** Runs a gateway like `runGateway`, and tells a person on stderr what it is and what to do next. */
export async function startForPerson(options: Omit<RunOptions, "onReady" | "destination">): Promise<number> {
	const { flags, io } = options;
	const styles = createStyles(wantsColours(io.stderr, io.environment));
	const defaultData = await defaultDataDirectory();
	const onReady = (gateway: Gateway): void => {
		io.stderr.write(welcome(gateway, defaultData, styles));
	};
	try {
		const destination = io.stderr.isTTY ? humanLog(io.stderr, styles) : undefined;
		return await runGateway({ ...options, onReady, ...(destination && { destination }) });
	} catch (error) {
		if (!(error instanceof ParleyError) || error.code !== "failed_precondition") throw error;
		const { data } = await readConfig(flags, io);
		const running = await findRunningGateway(data);
		if (!running) throw error;
		io.stderr.write(alreadyRunning(running, data));
		return 1;
	}
}

/** What a person needs to know once the gateway listens. */
export function welcome(gateway: Omit<Gateway, "stop">, defaultData: string, styles: Styles): string {
	const { urls, provider, model, dataDirectory, resumed } = gateway;
	const { bold, dim } = styles;
	const who = provider === "offline" ? "offline, a small built-in assistant that needs no key" : model;
	const facts = [
		["answers", who],
		["data", dataDirectory],
		["clients", `${urls[0]?.replace(/^http/, "ws")}/api/ws (Ozzie)`],
		...(resumed > 0 ? [["resumed", `unfinished work in ${resumed} conversations`]] : []),
	];
	const flag = dataDirectory === defaultData ? "" : ` --data ${shellWord(dataDirectory)}`;
	const commands = [
		[`chat${flag}`, "talk to it"],
		[`ask "run: echo hi" -y${flag}`, "ask once"],
		["help offline", "what the offline assistant understands"],
	];
	return [
		"",
		...alignColumns(facts.map(([name = "", fact = ""]) => [`  ${dim(name)}`, fact])),
		"",
		"  In another terminal, in this directory:",
		...alignColumns(
			commands.map(([command, does = ""]) => [`    ${bold(`npx --no parley ${command}`)}`, does]),
		),
		"",
		`  ${dim("Ctrl-C stops it; conversations and unfinished work are kept.")}`,
		"",
		"",
	].join("\n");
}

function shellWord(text: string): string {
	return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What a person is told who starts a second gateway on the same data. */
export function alreadyRunning(
	{ pid, urls }: { readonly pid: number; readonly urls: readonly string[] },
	data: string,
): string {
	return [
		`parley runs already: process ${pid}, at ${urls.join(", ")}, with the data in ${data}`,
		"Talk to it with `npx --no parley chat`, or stop it with `npx --no parley stop`.",
		"A second one needs a place of its own: `--data DIR --listen 127.0.0.1:0`.",
		"",
	].join("\n");
}
