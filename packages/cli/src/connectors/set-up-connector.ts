import { once } from "node:events";
import { createInterface } from "node:readline";
import { ParleyError, systemClock } from "@parley/base";
import type { Finding, SetupStep } from "@parley/connector";
import { doctorRows } from "../doctor/doctor-rows.ts";
import type { Io } from "../io.ts";
import { createStyles, wantsColours } from "../text/styles.ts";
import { wrapText } from "../text/wrap.ts";
import { outputLook, withGateway } from "../with-gateway.ts";
import { BorrowedConnector } from "./borrowed-connector.ts";
import type { Platform } from "./platform.ts";
import type { ConnectorFlags } from "./run-connector.ts";
import { untilAnswered } from "./until-answered.ts";

/** Whoever follows the steps has so long to write to the bot. */
const patienceMs = 15 * 60_000;

/** What a setup walks through. */
export interface SetupWay {
	readonly platform: Platform;
	/** The steps, of which the last ones wait for an answer. */
	steps(answered: (signal: AbortSignal) => Promise<void>, patienceMs: number): readonly SetupStep[];
	/** Whether there is a token to begin with: without one only the first step makes sense. */
	readonly hasToken: boolean;
	/** The steps for whose checks the connector has to run, besides the answer. */
	readonly withConnector: readonly string[];
	/** What else the command of the connector is given. */
	readonly connectorArgs?: readonly string[];
}

interface Setup {
	readonly platform: Platform;
	readonly flags: ConnectorFlags;
	readonly io: Io;
	readonly signal: AbortSignal;
}

/**
 * Walks a person through making the bot, each step with a check, until it has answered somebody. At a terminal a step
 * that fails is checked again on Enter; elsewhere the first one ends it. Returns the exit code.
 */
export async function setUpConnector(way: SetupWay, flags: ConnectorFlags, io: Io): Promise<number> {
	const stopping = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => stopping.abort());
	const { platform } = way;
	const setup = { platform, flags, io, signal: stopping.signal };
	const since = systemClock.now();
	const answered = (signal: AbortSignal): Promise<void> =>
		untilAnswered({ flags, io, platform, since, signal });
	const connector = new BorrowedConnector({ flags, io, platform, args: way.connectorArgs ?? [] });
	const steps = way.steps(answered, patienceMs);
	try {
		if (!way.hasToken) return withoutToken(steps, setup);
		if (!(await follow(steps, { connector, way }, setup))) return stopping.signal.aborted ? 130 : 1;
		say(io, `\n${lastWords(connector, platform)}`);
		return 0;
	} finally {
		await connector.giveBack();
	}
}

/** True when all steps are done. */
async function follow(
	steps: readonly SetupStep[],
	{ connector, way }: { readonly connector: BorrowedConnector; readonly way: SetupWay },
	setup: Setup,
): Promise<boolean> {
	for (const [index, step] of steps.entries()) {
		say(setup.io, heading(setup.io, `${index + 1}/${steps.length}  ${step.title}`));
		const isDone =
			step.id === "answer"
				? await waitForAnswer(step, setup)
				: await passes(way.withConnector.includes(step.id) ? connector.before(step) : step, setup);
		if (!isDone) return false;
	}
	return true;
}

/** What was done before is not asked for. */
async function passes(step: SetupStep, { io, signal }: Setup): Promise<boolean> {
	for (let isFirst = true; ; isFirst = false) {
		const findings = await step.check(signal);
		const isDone = findings.every(({ status }) => status !== "fail");
		if (!isDone && isFirst) tell(io, step.todo);
		show(findings, io);
		if (isDone) return true;
		if (signal.aborted || !io.stdin.isTTY) return false;
		const another = step.id === "token" ? "; with another token begin anew" : "";
		tell(io, `Press Enter to check again, Ctrl-C to stop${another}.`);
		if (!(await entered(io, signal))) return false;
	}
}

async function waitForAnswer(step: SetupStep, { platform, flags, io, signal }: Setup): Promise<boolean> {
	const code = await withGateway(flags, io, async (client) => {
		const { people } = await client.request("list_people", {});
		const isOwned = people.some(
			({ person, role }) => person.startsWith(`${platform.name}:`) && role === "owner",
		);
		if (isOwned) return undefined;
		return (await client.request("invite_person", { role: "owner", platform: platform.name })).code;
	});
	if (code !== undefined) {
		tell(io, `${platform.pairing(code)}: that makes you the owner. It works once.`);
	}
	tell(io, step.todo);
	let isDone = false;
	try {
		const findings = await step.check(signal);
		show(findings, io);
		isDone = findings.every(({ status }) => status !== "fail");
	} finally {
		if (!isDone && code !== undefined) await withdraw(code, { flags, io });
	}
	return isDone;
}

/** Takes an invitation back that a setup leaves behind. One that was used, or a gateway that is gone, needs nothing. */
async function withdraw(code: string, { flags, io }: Pick<Setup, "flags" | "io">): Promise<void> {
	try {
		await withGateway(flags, io, (client) => client.request("withdraw_pairing", { pairing: code }));
	} catch (reason) {
		if (!(reason instanceof ParleyError)) throw reason;
	}
}

function withoutToken([first, ...others]: readonly SetupStep[], { platform, io }: Setup): number {
	if (first) say(io, heading(io, `1/${others.length + 1}  ${first.title}`));
	if (first) tell(io, first.todo);
	const [variable] = platform.variables;
	tell(io, `Then begin here again: export ${variable}=…; parley ${platform.name} setup`);
	return 1;
}

function lastWords({ isOwn }: BorrowedConnector, { title, wants }: Platform): string {
	const start = `\`parley start\` brings the agent into ${title} wherever it starts with ${wants} set.`;
	return isOwn
		? `All is set up. The connector ends with this setup; now restart the gateway, with the token.\n${start}`
		: `All is set up. ${start}`;
}

async function entered({ stdin }: Io, signal: AbortSignal): Promise<boolean> {
	const lines = createInterface({ input: stdin, signal });
	const [line] = await Promise.race([once(lines, "line"), once(lines, "close").then(() => [undefined])]);
	lines.close();
	return line !== undefined && !signal.aborted;
}

function heading({ stdout, environment }: Io, text: string): string {
	return `\n${createStyles(wantsColours(stdout, environment)).bold(text)}`;
}

function show(findings: readonly Finding[], io: Io): void {
	const { columns, styles } = outputLook(io);
	// Without the sum.
	const rows = doctorRows(findings, { styles, columns: columns - 5 }).slice(0, -2);
	say(io, rows.map((row) => `     ${row}`).join("\n"));
}

/** Below a heading. */
function tell(io: Io, text: string): void {
	const rows = wrapText(text, outputLook(io).columns - 5);
	say(io, rows.map((row) => `     ${row}`).join("\n"));
}

function say({ stdout }: Io, text: string): void {
	stdout.write(`${text}\n`);
}
