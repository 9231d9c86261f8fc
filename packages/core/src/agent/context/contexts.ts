import type { Clock, Failpoints, Logger } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import type { Journal } from "../../store/journal.ts";
import { Calibration, type EstimateError } from "./calibration.ts";
import { ProviderCounts } from "./provider-counts.ts";
import { SessionContext } from "./session-context.ts";
import { TextCounts } from "./text-counts.ts";

interface ContextsServices {
	readonly journal: Journal;
	readonly clock: Clock;
	readonly log: Logger;
	readonly failpoints: Failpoints;
}

/** What is known of tokens and transcripts by everything that shares a journal. */
export class Contexts {
	readonly counts: ProviderCounts;
	readonly texts: TextCounts;
	readonly #services: ContextsServices;
	readonly #calibrations = new Map<string, Calibration>();
	readonly #sessions = new WeakMap<Session, SessionContext>();

	constructor(services: ContextsServices) {
		const { journal, clock, log } = services;
		this.#services = services;
		this.counts = new ProviderCounts({ store: journal.store, clock, log });
		this.texts = new TextCounts({ clock, log });
	}

	/** How the model counts, as far as its replies have told. */
	calibration(provider: string, model: string): Calibration {
		const key = `${provider}/${model}`;
		const known = this.#calibrations.get(key) ?? new Calibration();
		this.#calibrations.set(key, known);
		return known;
	}

	/** How far estimates were off, by `provider/model`. */
	errors(): ReadonlyMap<string, EstimateError> {
		return new Map([...this.#calibrations].map(([key, calibration]) => [key, calibration.error]));
	}

	/** The session's own, read from the record when it is needed first. */
	async of(session: Session): Promise<SessionContext> {
		const known = this.#sessions.get(session) ?? (await SessionContext.open(session, this.#services));
		this.#sessions.set(session, known);
		return known;
	}

	/** What the session needs again is read from the record again. */
	forget(session: Session): void {
		this.#sessions.delete(session);
	}

	/** The session's own, where a request was put together already. */
	known(session: Session): SessionContext | undefined {
		return this.#sessions.get(session);
	}
}
