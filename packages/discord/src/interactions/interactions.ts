import { type Clock, defined, delay, type Logger, ParleyError } from "@parley/base";
import {
	type Controls,
	type Form,
	forms,
	hasFormOfTarget,
	type InboundEvent,
	type InboundEventOf,
	interactionTexts,
	Malformed,
} from "@parley/connector";
import * as z from "zod";
import type { Channels } from "../intake/channels.ts";
import { conversationOf } from "../intake/translated.ts";
import { noMentions } from "../surface/posts.ts";
import type { Tickets } from "../surface/private-answers.ts";
import type { DiscordPort, OwnAccount } from "../vocabulary/discord-port.ts";
import { cutTo, errorCodes, lengthOf, limits, messageFlags } from "../vocabulary/limits.ts";
import { momentOf } from "../vocabulary/snowflake.ts";
import { Head, type OptionInput, readInteraction } from "./read-interaction.ts";

export interface InteractionsParts {
	readonly self: OwnAccount;
	readonly port: DiscordPort;
	readonly channels: Channels;
	readonly controls: Controls;
	readonly tickets: Tickets;
	readonly connector: {
		accept(
			inbound: InboundEvent,
			key: { readonly id: string; readonly conversation: string },
		): Promise<boolean>;
		complete(input: OptionInput): Promise<readonly { readonly value: string; readonly label: string }[]>;
		/** Returns the form that a press opens; see `Connector.form`. */
		form(pressed: InboundEventOf<"press">): Promise<Form | undefined>;
	};
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * All limits are below the three seconds that Discord waits:
 * interactions/receiving-and-responding#responding-to-an-interaction
 */
const deferAfterMs = 1500;
const completeWithinMs = 2500;
const answerableMs = 2500;
/**
 * Maximum age of an interaction in milliseconds. An older interaction is dropped, because Discord has already shown a
 * failure. The limit allows for different clocks.
 */
const staleMs = 60_000;

const lost: ReadonlySet<number | undefined> = new Set([
	errorCodes.unknownInteraction,
	errorCodes.alreadyAnswered,
]);

/** Answers interactions within Discord's time limit, and passes them to the connector. */
export class Interactions {
	readonly #parts: InteractionsParts;
	readonly #malformed: Malformed;
	readonly #running = new Set<Promise<unknown>>();

	constructor(parts: InteractionsParts) {
		this.#parts = parts;
		this.#malformed = new Malformed("Discord", parts.log);
	}

	/** Returns the number of interactions that could not be read. */
	get malformed(): number {
		return this.#malformed.count;
	}

	/** Handles the data of an INTERACTION_CREATE. Returns before the interaction is answered. */
	handle(data: unknown): void {
		const head = this.#malformed.read("INTERACTION_CREATE", Head, data);
		if (head === undefined) return;
		const work = this.#answer(head, data).catch((error: unknown) => {
			this.#parts.log.error("could not answer an interaction", { id: head.id, error });
		});
		const running = work.finally(() => this.#running.delete(running));
		this.#running.add(running);
	}

	/** Resolves when all interactions in progress are answered, or their answers have failed. */
	async settled(): Promise<void> {
		await Promise.all(this.#running);
	}

	#answer(head: Head, data: unknown): Promise<unknown> {
		const { channels, controls, clock, log } = this.#parts;
		const call = { head, since: clock.monotonic() };
		if (clock.now() - momentOf(head.id) > staleMs) {
			log.warn("an interaction arrived too late for an answer", { id: head.id });
			return Promise.resolve();
		}
		const interaction = readInteraction(head, data, { channels, malformed: this.#malformed });
		if (interaction === undefined) return this.#respond(call, words(interactionTexts.unreadable));
		if (interaction.type === "complete") return this.#complete(call, interaction.input);
		const { inbound, opens } = interaction;
		const target = opens && inbound.type === "press" ? controls.read(inbound.control) : undefined;
		const form = target && forms[target.kind];
		if (form && inbound.type === "press") return this.#respond(call, formFor(inbound.control, form));
		if (target && inbound.type === "press" && hasFormOfTarget(target.kind)) {
			return this.#openForm(call, inbound);
		}
		return this.#accept(call, inbound);
	}

	async #openForm(call: Call, inbound: InboundEventOf<"press">): Promise<unknown> {
		const form = await this.#parts.connector.form(inbound);
		return form ? this.#respond(call, formFor(inbound.control, form)) : this.#accept(call, inbound);
	}

	async #complete(call: Call, input: OptionInput): Promise<void> {
		const { connector, clock, log } = this.#parts;
		const ending = new AbortController();
		const late = delay(clock, completeWithinMs, ending.signal).then(
			() => [],
			() => [],
		);
		const found = connector.complete(input).catch((error: unknown) => {
			log.warn("could not complete an option", { command: input.command, error });
			return [];
		});
		const shown = await Promise.race([found, late]);
		ending.abort();
		await this.#respond(call, suggestions(shown));
	}

	/**
	 * Accepts an inbound event and answers the interaction that caused it. The event is durable before the
	 * acknowledgement, unless this takes too long: Discord waits only three seconds for the acknowledgement.
	 */
	async #accept(call: Call, inbound: InboundEventOf<"command" | "press">): Promise<void> {
		const { connector, tickets, clock, log } = this.#parts;
		const { id } = call.head;
		const answered = Promise.withResolvers<void>();
		tickets.open(id, answered.promise);
		let deferred: Promise<boolean> | undefined;
		const defer = (): Promise<boolean> => {
			deferred ??= this.#respond(call, deferral);
			return deferred;
		};
		const timer = clock.after(deferAfterMs, () => void defer());
		const conversation = conversationOf(inbound.room);
		try {
			await connector.accept(inbound, { id: `${inbound.type}:${id}`, conversation });
			timer.cancel();
			await defer();
		} catch (reason) {
			timer.cancel();
			const error = ParleyError.from(reason);
			log.error("could not handle an interaction", { id, error });
			const refusal = interactionTexts[error.code === "resource_exhausted" ? "busy" : "failed"];
			if (deferred === undefined) await this.#respond(call, words(refusal));
			else if (await deferred) await this.#replace(call, refusal);
		} finally {
			answered.resolve();
		}
	}

	/** Sends the answer to an interaction, and resolves with whether Discord accepted it. */
	async #respond(call: Call, body: Callback): Promise<boolean> {
		const { port, clock, log } = this.#parts;
		const { id, token } = call.head;
		const path = `/interactions/${id}/${encodeURIComponent(token)}/callback`;
		const request = { method: "POST", path, body, authorized: false } as const;
		for (let tries = 1; ; tries++) {
			const response = await port.request(request).catch(ParleyError.from);
			if (!(response instanceof ParleyError) && response.status < 300) return true;
			const fault =
				response instanceof ParleyError ? response.message : (faultOf(response.body) ?? response.status);
			const isOver = clock.monotonic() - call.since > answerableMs;
			const mayPass = response instanceof ParleyError || response.status >= 500;
			// A second attempt is harmless, because Discord rejects a second answer.
			if (mayPass && !isOver && tries === 1) continue;
			const level = typeof fault === "number" && lost.has(fault) ? "warn" : "error";
			log[level]("could not answer an interaction", { id, fault });
			return false;
		}
	}

	async #replace({ head }: Call, content: string): Promise<void> {
		const { port, self, log } = this.#parts;
		const path = `/webhooks/${self.application}/${encodeURIComponent(head.token)}/messages/@original`;
		const body = words(content).data;
		const { flags: _ephemeral, ...message } = body;
		const request = { method: "PATCH", path, body: message, authorized: false } as const;
		const response = await port.request(request).catch(ParleyError.from);
		if (response instanceof ParleyError || response.status >= 300) {
			log.error("could not report to the person that an interaction failed", { id: head.id });
		}
	}
}

interface Call {
	readonly head: Head;
	/** Monotonic time of the arrival, in milliseconds. */
	readonly since: number;
}

function faultOf(body: unknown): number | undefined {
	return z.object({ code: z.number() }).safeParse(body).data?.code;
}

/** Types of answers: interactions/receiving-and-responding#interaction-response-object-interaction-callback-type */
const callbackTypes = { message: 4, deferred: 5, suggestions: 8, form: 9 } as const;

/** First answer to an interaction. */
interface Callback {
	readonly type: (typeof callbackTypes)[keyof typeof callbackTypes];
	readonly data: Readonly<Record<string, unknown>>;
}

/** First answer that announces a later private answer. */
const deferral: Callback = {
	type: callbackTypes.deferred,
	data: { flags: messageFlags.ephemeral },
};

function words(content: string): Callback {
	const data = { content: cutTo(content, limits.content), allowed_mentions: noMentions };
	return { type: callbackTypes.message, data: { ...data, flags: messageFlags.ephemeral } };
}

function suggestions(all: readonly { readonly value: string; readonly label: string }[]): Callback {
	// An empty or too long value is left out, because a cut value would mean something else.
	const fitting = all.filter(({ value }) => value !== "" && lengthOf(value) <= limits.suggestionText);
	const choices = fitting.slice(0, limits.suggestions).map(({ value, label }) => ({
		name: cutTo(label.trim() === "" ? value : label, limits.suggestionText),
		value,
	}));
	return { type: callbackTypes.suggestions, data: { choices } };
}

const labelType = 18;
const inputType = 4;

function formFor(control: string, { title, fields }: Form): Callback {
	// Source: components/reference#label, components/reference#text-input
	const components = fields
		.slice(0, limits.modalFields)
		.map(({ name, label, long, required, maximum, value = "" }) => ({
			type: labelType,
			label: cutTo(label, limits.fieldLabel),
			component: {
				type: inputType,
				custom_id: name,
				style: long ? 2 : 1,
				required,
				max_length: Math.min(maximum, limits.fieldText),
				...defined({ value: value === "" ? undefined : value }),
			},
		}));
	// Discord sends the control as `custom_id` when the form is submitted.
	const data = { custom_id: control, title: cutTo(title, limits.modalTitle), components };
	return { type: callbackTypes.form, data };
}
