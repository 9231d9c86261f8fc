import { delay } from "@parley/base";
import { developerPortal } from "../client/refusals.ts";
import type { Finding } from "./check.ts";
import { type CheckName, type DoctorParts, runCheck } from "./doctor.ts";

/** Step of a setup, with its instruction and its check. */
export interface SetupStep {
	readonly id: string;
	readonly title: string;
	readonly todo: string;
	/** Never rejects. The step is done if no finding has the status `fail`. Can be called any number of times. */
	check(signal: AbortSignal): Promise<readonly Finding[]>;
}

export interface SetupParts extends DoctorParts {
	/** Resolves when the running connector has answered a person for the first time. */
	readonly answered: (signal: AbortSignal) => Promise<void>;
	/** Longest wait for `answered`, in milliseconds. */
	readonly patienceMs: number;
}

interface PortalStep {
	readonly id: string;
	readonly title: string;
	readonly todo: string;
	readonly checks: readonly CheckName[];
}

const portal: readonly PortalStep[] = [
	{
		id: "token",
		title: "Make the bot",
		todo: `On ${developerPortal} press "New Application". Under "Bot" press "Reset Token", and set DISCORD_TOKEN to what it shows.`,
		checks: ["token"],
	},
	{
		id: "application",
		title: "Let it read messages",
		todo: `Under "Bot" switch "Message Content Intent" on, and "Requires OAuth2 Code Grant" off. Save.`,
		checks: ["application"],
	},
	{
		id: "gateway",
		title: "Reach Discord",
		todo: "This machine connects to discord.com; nothing has to be opened for connections from outside.",
		checks: ["gateway", "clock"],
	},
	{
		id: "invited",
		title: "Invite the bot",
		todo: "Open the link below, choose a server that you manage, and confirm.",
		checks: ["invited"],
	},
	{
		id: "permissions",
		title: "Let it work",
		todo: "The invite has given the bot what it needs; a channel can take some of that away.",
		checks: ["permissions"],
	},
	{
		id: "commands",
		title: "Show its commands",
		todo: "The connector brings them to Discord as it starts.",
		checks: ["commands"],
	},
];

/** All steps of the setup in their order. The connector must run for the last one. */
export function setupSteps(parts: SetupParts): readonly SetupStep[] {
	const first = portal.map(({ checks, ...step }) => ({
		...step,
		async check() {
			const findings: Finding[] = [];
			for (const name of checks) findings.push(...(await runCheck(name, parts)));
			return findings;
		},
	}));
	return [...first, answerStep(parts)];
}

function answerStep({ answered, patienceMs, clock }: SetupParts): SetupStep {
	return {
		id: "answer",
		title: "Write to the bot",
		todo: "In Discord mention the bot in a channel, or send it a direct message: it answers.",
		async check(signal) {
			const waiting = new AbortController();
			const either = AbortSignal.any([signal, waiting.signal]);
			const isAnswered = await Promise.race([
				answered(either).then(() => true),
				delay(clock, patienceMs, either).then(() => false),
			]).catch(() => false);
			waiting.abort();
			return [
				isAnswered ? { id: "discord-answer", status: "ok", what: "the bot has answered" } : unanswered(),
			];
		},
	};
}

function unanswered(): Finding {
	return {
		id: "discord-answer",
		status: "fail",
		what: "the bot has not answered anybody yet",
		fix: "mention it by its name in a channel that it sees; whom it does not know, it tells how to be let in",
	};
}
