import { createHash } from "node:crypto";
import { type Clock, delay, type Logger, ParleyError } from "@parley/base";
import type { CommandShape } from "@parley/connector";
import * as z from "zod";
import type { DiscordPort, DiscordRequest, DiscordResponse } from "../discord-port.ts";
import { bodyOf } from "./command-body.ts";
import type { CommandMemory } from "./command-memory.ts";
import { InstalledCommand } from "./discord-command.ts";
import { fingerprintOf, keyOf, planSync, type SyncStep } from "./plan-sync.ts";
import { discordCommands } from "./to-discord.ts";

/** What is needed to compare, and to bring up to date, the commands that people see. */
export interface CommandSync {
	readonly port: Pick<DiscordPort, "request">;
	readonly application: string;
	readonly shapes: readonly CommandShape[];
	readonly memory: CommandMemory;
}

/** More than 200 commands were created today: topics/opcodes-and-status-codes#json-json-error-codes */
const tooManyToday = 30_034;

const againMs = { unreachable: 60_000, tooManyToday: 3_600_000 } as const;

const Refusal = z.object({ code: z.number().optional(), message: z.string().optional() });
const Limit = z.object({ retry_after: z.number() });

/** Discord has not done it, and may do it after a while. */
class NotYet extends ParleyError {
	readonly waitMs: number;

	constructor(message: string, waitMs: number) {
		super(message, { code: "unavailable" });
		this.waitMs = waitMs;
	}
}

/** What is to be done at Discord, without doing it. Rejects with a `ParleyError` in Discord's words. */
export async function planCommands(sync: CommandSync): Promise<SyncStep[]> {
	const { port, application, shapes, memory } = sync;
	const { body } = await asked(port, { method: "GET", path: `/applications/${application}/commands` });
	const known = await memory.load();
	const ours = known?.application === application ? known.ours : [];
	return planSync(z.array(InstalledCommand).parse(body), discordCommands(shapes), ours);
}

/**
 * Lets Discord have the commands: nothing is asked where nothing has changed since the last time. Resolves when they
 * are up to date, when Discord refuses one for good, which is logged, or when the signal aborts.
 */
export async function keepCommands(
	sync: CommandSync,
	{ clock, log, signal }: { readonly clock: Clock; readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
	while (!signal.aborted) {
		try {
			await bringUpToDate(sync, log);
			return;
		} catch (reason) {
			const error = ParleyError.from(reason);
			if (error.code !== "unavailable") {
				log.error("the commands at Discord could not be brought up to date", { error });
				return;
			}
			const waitMs = error instanceof NotYet ? error.waitMs : againMs.unreachable;
			log.warn("the commands at Discord are brought up to date later", { error, waitMs });
			// That it is time to stop shows in the signal.
			await delay(clock, waitMs, signal).catch(() => undefined);
		}
	}
}

async function bringUpToDate(sync: CommandSync, log: Logger): Promise<void> {
	const { application, shapes, memory, port } = sync;
	const wanted = discordCommands(shapes);
	const keys = wanted.map(keyOf);
	const fingerprint = createHash("sha256").update(wanted.map(fingerprintOf).join()).digest("hex");
	const known = await memory.load();
	if (known?.application === application && known.fingerprint === fingerprint) return;
	const steps = await planCommands(sync);
	// Before they are there: what was begun is ours, too.
	const begun = known?.application === application ? known.ours : [];
	await memory.save({ application, fingerprint: "", ours: [...new Set([...begun, ...keys])] });
	for (const step of steps) {
		await asked(port, requestOf(application, step));
		const name = step.action === "delete" ? step.name : step.command.name;
		log.info("a command at Discord was brought up to date", { action: step.action, command: name });
	}
	await memory.save({ application, fingerprint, ours: keys });
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

async function asked(port: CommandSync["port"], request: DiscordRequest): Promise<DiscordResponse> {
	const response = await port.request(request).catch((cause: unknown) => {
		throw new ParleyError(`Discord did not answer ${request.method} ${request.path}`, {
			code: "unavailable",
			cause,
		});
	});
	const { status, body, headers } = response;
	if (status >= 200 && status < 300) return response;
	// Somebody else was faster.
	if (status === 404 && request.method === "DELETE") return response;
	const { code, message = "no reason" } = Refusal.safeParse(body).data ?? {};
	const words = `Discord answered ${status} (${message}) to ${request.method} ${request.path}`;
	if (code === tooManyToday) throw new NotYet(words, againMs.tooManyToday);
	if (status === 429) {
		const seconds = Limit.safeParse(body).data?.retry_after ?? Number(headers["retry-after"] ?? 1);
		throw new NotYet(words, Math.max(1, Math.ceil(seconds)) * 1000);
	}
	throw new ParleyError(words, { code: status >= 500 ? "unavailable" : "failed_precondition" });
}
