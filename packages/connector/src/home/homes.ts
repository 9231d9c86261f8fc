import { hash } from "node:crypto";
import { type Clock, type Logger, ParleyError, type Timer } from "@parley/base";
import type { Outbox } from "../outbox/outbox.ts";
import type { PlannedRow } from "../outbox/plan.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { Posting } from "../platform/posting.ts";
import type { Reply } from "../rooms/handler-context.ts";
import { eventCursor } from "../store/retention.ts";
import { fitPost } from "../text/fit-posts.ts";
import { parseText } from "../text/parse-text.ts";
import { homeTexts } from "../texts/home.ts";
import type { HomeParts } from "./home-places.ts";
import { homeSections, sectionLength } from "./home-sections.ts";

/** Delay of an update in milliseconds after a change, because more changes usually follow. */
const soonMs = 2000;
/** Minimum time in milliseconds between two updates of one page, except after an action of the person. */
const everyMs = 15_000;
/** Time in milliseconds during which an opened page is updated automatically. */
const viewedMs = 12 * 3_600_000;
/** Maximum number of pages that are updated automatically. */
const maxViewers = 20;

/** A person who has opened the home page. */
export interface HomeViewer {
	readonly person: Person;
	/** Room of the person's direct messages. */
	readonly room: Room;
}

interface Page extends HomeViewer {
	readonly openedAt: number;
	/** Id of the present round: see `writeSuggested`. */
	round: string;
	/** Monotonic time of the next update, in milliseconds. */
	nextAt: number;
	/** Content of the last planned page. */
	shown: string;
}

export interface HomesParts extends HomeParts {
	readonly outbox: { readonly plan: Outbox["plan"] };
	readonly platform: ChatPlatform;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Home pages of people. A page is published when its person opens it, and when its content changes. */
export class Homes {
	readonly #parts: HomesParts;
	/** Pages by person, in order of their last opening: the newest is at the end. */
	readonly #pages = new Map<string, Page>();
	#timer: Timer | undefined;
	#working: Promise<void> = Promise.resolve();
	#isStopped = false;

	constructor(parts: HomesParts) {
		this.#parts = parts;
	}

	/** Publishes the page of a person. `id` is the id of the inbound event. Rejects if the gateway does not answer. */
	async open(
		viewer: HomeViewer,
		{ id, settle }: { readonly id: string; readonly settle: Parameters<Outbox["plan"]>[1] },
	): Promise<void> {
		const { clock } = this.#parts;
		const { person, room } = viewer;
		// The page keeps its round when it is opened again, so that two presses of a suggestion send only one request.
		const round = this.#pages.get(person.id)?.round ?? roundOf(id);
		const sections = await homeSections(this.#parts, { person, room, round });
		const nextAt = clock.monotonic() + everyMs;
		const page: Page = { person, room, openedAt: clock.now(), round, nextAt, shown: "" };
		page.shown = JSON.stringify(sections);
		this.#pages.delete(viewer.person.id);
		this.#pages.set(viewer.person.id, page);
		const [oldest] = this.#pages.keys();
		if (this.#pages.size > maxViewers && oldest !== undefined) this.#pages.delete(oldest);
		await this.#plan(page, sections, `${eventCursor}${id}`, settle);
	}

	/**
	 * Updates the page soon after the person pressed one of its controls. `id` is the id of the inbound event.
	 */
	pressed({ person }: HomeViewer, id: string): void {
		const page = this.#pages.get(person.id);
		if (page === undefined) return;
		page.round = roundOf(id);
		page.nextAt = 0;
		this.changed();
	}

	/** Schedules an update after a change of sessions. */
	changed(): void {
		if (this.#timer !== undefined || this.#isStopped || this.#pages.size === 0) return;
		this.#timer = this.#parts.clock.after(soonMs, this.#tick);
	}

	async stop(): Promise<void> {
		this.#isStopped = true;
		this.#timer?.cancel();
		await this.#working;
	}

	readonly #tick = (): void => {
		this.#working = this.#update().then((left) => {
			this.#timer = undefined;
			if (left) this.changed();
		});
	};

	/**
	 * Updates each page if its next update is due, and removes old pages. Returns whether the next update of a page
	 * is not yet due. Never rejects.
	 */
	async #update(): Promise<boolean> {
		const { clock, log } = this.#parts;
		let left = false;
		for (const page of [...this.#pages.values()]) {
			if (clock.now() - page.openedAt > viewedMs) this.#pages.delete(page.person.id);
			else if (clock.monotonic() < page.nextAt) left = true;
			else {
				page.nextAt = clock.monotonic() + everyMs;
				await this.#refresh(page).catch((reason: unknown) => {
					log.debug("a home page could not be updated", { error: ParleyError.from(reason) });
				});
			}
			if (this.#isStopped) return false;
		}
		return left;
	}

	async #refresh(page: Page): Promise<void> {
		const sections = await homeSections(this.#parts, page);
		const content = JSON.stringify(sections);
		if (content === page.shown || this.#isStopped) return;
		page.shown = content;
		await this.#plan(page, sections, `${eventCursor}home/${page.person.id}/${this.#parts.clock.now()}`);
	}

	async #plan(
		{ person, room }: HomeViewer,
		sections: readonly Reply[],
		session: string,
		settle?: Parameters<Outbox["plan"]>[1],
	): Promise<void> {
		const { outbox, platform, clock } = this.#parts;
		const payload = postingOf({ person, room }, sections, platform);
		const card = `home:${room.tenant}:${person.id}`;
		const row: PlannedRow = { seq: 1, at: clock.now(), lane: "progress", card, payload };
		await outbox.plan({ conversation: card, cursor: { session, seq: 1 }, rows: [row] }, settle);
	}
}

function roundOf(event: string): string {
	return hash("sha256", event, "base64url").slice(0, 8);
}

function postingOf(
	{ person, room }: HomeViewer,
	sections: readonly Reply[],
	{ dialect }: ChatPlatform,
): Posting {
	const note = parseText(homeTexts.cut).blocks[0];
	return {
		type: "home",
		person: person.id,
		room: room.channel,
		sections: sections
			.filter(({ text }) => text.trim() !== "")
			.map(({ text, controls = [] }) => {
				const options = { dialect, limit: sectionLength };
				const body = note === undefined ? "" : fitPost(parseText(text), options, note);
				return { body, controls: controls.map((row) => [...row]) };
			}),
	};
}
