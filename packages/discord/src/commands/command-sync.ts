import { type Clock, defined, delay, type Logger, ParleyError } from "@parley/base";
import type { CommandShape } from "@parley/connector";
import { ApplicationCommandType } from "discord-api-types/v10";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import type { DiscordRequest, DiscordResponse, DiscordRest } from "../vocabulary/discord-port.ts";
import { DiscordCommand, type InstalledCommand, InstalledCommands } from "./discord-command.ts";
import { discordCommands } from "./to-discord.ts";

export interface CommandSync {
	readonly port: DiscordRest;
	readonly application: string;
	readonly shapes: readonly CommandShape[];
	readonly memory: CommandMemory;
}

/** Error code of Discord after 200 created commands on one day: topics/opcodes-and-status-codes#json-json-error-codes */
const tooManyToday = 30_034;

const retryMs = { unreachable: 60_000, tooManyToday: 3_600_000 } as const;

const Refusal = z.object({ code: z.number().optional(), message: z.string().optional() });
const Limit = z.object({ retry_after: z.number() });

/** Error for a request that Discord did not execute but may execute later. */
class RetryLater extends ParleyError {
	readonly waitMs: number;

	constructor(message: string, waitMs: number) {
		super(message, { code: "unavailable" });
		this.waitMs = waitMs;
	}
}

/**
 * Returns the steps that would update the commands on Discord. Rejects if Discord refuses the request or
 * cannot be reached.
 */
export async function planCommands(sync: CommandSync): Promise<SyncStep[]> {
	return stepsOf(sync, await installedBefore(sync));
}

async function stepsOf({ port, application, shapes }: CommandSync, ours: readonly string[]) {
	const { body } = await send(port, { method: "GET", path: `/applications/${application}/commands` });
	return planSync(InstalledCommands.parse(body), discordCommands(shapes), ours);
}

async function installedBefore({ application, memory }: CommandSync): Promise<readonly string[]> {
	const known = await memory.load();
	return known?.application === application ? known.ours : [];
}

/**
 * Creates, changes and deletes commands on Discord. Retries temporary failures, and logs a permanent failure.
 * Resolves when the commands are up to date, when the signal aborts, or after a permanent failure.
 */
export async function startCommandSync(
	sync: CommandSync,
	{ clock, log, signal }: { readonly clock: Clock; readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
	while (!signal.aborted) {
		try {
			await updateCommands(sync, log);
			return;
		} catch (reason) {
			const error = ParleyError.from(reason);
			if (error.code !== "unavailable") {
				log.error("could not update the commands on Discord", { error });
				return;
			}
			const waitMs = error instanceof RetryLater ? error.waitMs : retryMs.unreachable;
			log.warn("the commands on Discord are not updated yet, trying again later", { error, waitMs });
			// An abort ends the delay, and then the loop.
			await delay(clock, waitMs, signal).catch(() => undefined);
		}
	}
}

/**
 * Updates the commands, and returns the executed steps. Waits for Discord's rate limits. Rejects if Discord
 * demands a longer wait than `patienceMs`, cannot be reached, or refuses a change.
 */
export async function restoreCommands(
	sync: CommandSync,
	{ clock, log, patienceMs }: { readonly clock: Clock; readonly log: Logger; readonly patienceMs: number },
): Promise<SyncStep[]> {
	const done: SyncStep[] = [];
	for (;;) {
		try {
			await updateCommands(sync, log, (step) => done.push(step));
			return done;
		} catch (reason) {
			if (!(reason instanceof RetryLater) || reason.waitMs > patienceMs) throw reason;
			await delay(clock, reason.waitMs);
		}
	}
}

async function updateCommands(
	sync: CommandSync,
	log: Logger,
	onStep: (step: SyncStep) => void = () => undefined,
): Promise<void> {
	const { application, shapes, memory, port } = sync;
	const keys = discordCommands(shapes).map(keyOf);
	const before = await installedBefore(sync);
	const steps = await stepsOf(sync, before);
	const both = [...new Set([...before, ...keys])];
	// The state is saved before the first change, because a created but unrecorded command could never be deleted.
	if (both.length > before.length) await memory.save({ application, ours: both });
	for (const step of steps) {
		await send(port, requestOf(application, step));
		onStep(step);
		log.info("a command at Discord was updated", { action: step.action, command: nameOf(step) });
	}
	if (both.length > keys.length) await memory.save({ application, ours: keys });
}

export function nameOf(step: SyncStep): string {
	return step.action === "delete" ? step.name : step.command.name;
}

function requestOf(application: string, step: SyncStep): DiscordRequest {
	const path = `/applications/${application}/commands`;
	switch (step.action) {
		case "create":
			return { method: "POST", path, body: { type: step.command.type, ...bodyOf(step.command) } };
		case "change":
			return { method: "PATCH", path: `${path}/${step.id}`, body: bodyOf(step.command) };
		case "delete":
			return { method: "DELETE", path: `${path}/${step.id}` };
	}
}

async function send(port: CommandSync["port"], request: DiscordRequest): Promise<DiscordResponse> {
	const response = await port.request(request).catch((cause: unknown) => {
		throw new ParleyError(deliveryTexts.noAnswer(request), {
			code: "unavailable",
			cause,
		});
	});
	const { status, body, headers } = response;
	if (status >= 200 && status < 300) return response;
	// The command is already deleted.
	if (status === 404 && request.method === "DELETE") return response;
	const { code, message = "no reason given" } = Refusal.safeParse(body).data ?? {};
	const words = `Discord answered ${status} (${message}) to ${request.method} ${request.path}`;
	if (code === tooManyToday) throw new RetryLater(words, retryMs.tooManyToday);
	if (status === 429) {
		const seconds = Limit.safeParse(body).data?.retry_after ?? Number(headers["retry-after"] ?? 1);
		throw new RetryLater(words, Math.max(1, Math.ceil(seconds)) * 1000);
	}
	throw new ParleyError(words, { code: status >= 500 ? "unavailable" : "failed_precondition" });
}

type Option = DiscordCommand["options"][number];

/** Returns the body of a request for a command. Includes empty fields, so that they replace the old values. */
function bodyOf({ type, name, description, options, ...rest }: DiscordCommand): object {
	// Menu commands have neither description nor options: interactions/application-commands#user-commands
	if (type !== ApplicationCommandType.ChatInput) return { name, ...rest };
	return { name, description, options: options.map(optionBody), ...rest };
}

/** Returns an option for a request. Omits empty fields, because most fields are allowed only for some types. */
function optionBody({ required, autocomplete, choices, options, ...rest }: Option): unknown {
	return defined({
		...rest,
		required: required || undefined,
		autocomplete: autocomplete || undefined,
		choices: choices.length > 0 ? choices : undefined,
		options: options.length > 0 ? options.map(optionBody) : undefined,
	});
}

/**
 * Commands that the connector has registered on Discord, or is about to register. Stored so that outdated
 * commands can be deleted.
 */
export interface InstalledState {
	readonly application: string;
	/** Keys of the commands; see `keyOf`. */
	readonly ours: readonly string[];
}

/** Storage of the state across restarts. */
export interface CommandMemory {
	load(): Promise<InstalledState | undefined>;
	save(state: InstalledState): Promise<void>;
}

export type SyncStep =
	| { readonly action: "create"; readonly command: DiscordCommand }
	| { readonly action: "change"; readonly command: DiscordCommand; readonly id: string }
	| { readonly action: "delete"; readonly name: string; readonly id: string };

/**
 * Returns the steps that make the installed commands equal to the required commands. Leaves commands outside `ours`
 * unchanged, unless a required command has their type and name.
 */
function planSync(
	installed: readonly InstalledCommand[],
	required: readonly DiscordCommand[],
	ours: readonly string[],
): SyncStep[] {
	const requiredKeys = new Set(required.map(keyOf));
	const deletions = installed
		.filter((command) => ours.includes(keyOf(command)) && !requiredKeys.has(keyOf(command)))
		.map(({ name, id }) => ({ action: "delete" as const, name, id }));
	const changes = required.flatMap((command): SyncStep[] => {
		const found = installed.find((other) => keyOf(other) === keyOf(command));
		if (found === undefined) return [{ action: "create", command }];
		return fingerprintOf(found) === fingerprintOf(command)
			? []
			: [{ action: "change", command, id: found.id }];
	});
	// Deletions come first, because Discord allows only a hundred commands.
	return [...deletions, ...changes];
}

function keyOf({ type, name }: DiscordCommand): string {
	// On Discord, the pair of type and name is unique.
	return `${type} ${name}`;
}

function fingerprintOf(command: DiscordCommand): string {
	// The schema determines the order of the fields.
	return JSON.stringify(DiscordCommand.parse(command));
}
