import { ParleyError } from "@parley/base";
import type { Gateway } from "@parley/gateway";
import { findRunningGateway } from "../running-gateway.ts";
import { createStyles, type Styles, wantsColours } from "../text/styles.ts";
import { humanLog } from "./human-log.ts";
import { type RunOptions, readConfig, runGateway } from "./run-gateway.ts";

/** Runs a gateway like `runGateway`, and tells a person on stderr what it is and what to do next. */
export async function startForPerson(options: Omit<RunOptions, "onReady" | "destination">): Promise<number> {
	const { flags, io } = options;
	const styles = createStyles(wantsColours(io.stderr, io.environment));
	const onReady = (gateway: Gateway): void => {
		io.stderr.write(welcome(gateway, styles));
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
export function welcome(
	{ urls, provider, model, dataDirectory }: Omit<Gateway, "stop" | "resumed">,
	{ bold, dim }: Styles,
): string {
	const [url = ""] = urls;
	const offline = "a small assistant that is built in: it needs no key and carries out written commands";
	const lines = [
		"",
		`  ${dim("answers")}  ${provider === "offline" ? `${bold("offline")}, ${offline}` : `${bold(model)} of ${provider}`}`,
		`  ${dim("data   ")}  ${dataDirectory}`,
		`  ${dim("clients")}  ${url.replace(/^http/, "ws")}/api/ws (Ozzie)`,
		"",
		"  In another terminal, in this directory:",
		`    ${bold("npx --no parley chat")}                        talk to it`,
		`    ${bold('npx --no parley ask "run: echo hi" -y')}       ask once`,
		`    ${bold("npx --no parley help offline")}                what the offline assistant understands`,
		"",
		`  ${dim("Ctrl-C stops it; conversations and unfinished work are kept.")}`,
		"",
	];
	return `${lines.join("\n")}\n`;
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
