import { type Clock, type Logger, openKeyv, type Store } from "@parley/base";
import type { Tables } from "../../store/tables.ts";
import type { Sandboxes } from "../../vocabulary/sandbox.ts";
import type { FoundSkill } from "./skill-files.ts";

interface SeenSkillsOptions {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly log: Logger;
	readonly sandbox: Pick<Sandboxes, "state">;
}

interface Seen {
	readonly hash: string;
	/** When the gateway first saw this content, in milliseconds since the epoch. */
	readonly changedAt: number;
}

type SeenByPath = ReadonlyMap<string, Seen>;

const key = "skills";

/**
 * The contents of the operator's skills as they were last seen. These skills need no trust, so a change is logged: it is
 * a warning if commands run without a sandbox, because such a command can write them.
 */
export class SeenSkills {
	readonly #options: SeenSkillsOptions;
	readonly #stored: ReturnType<typeof openKeyv<readonly [string, Seen][], Tables>>;
	#seen: SeenByPath | undefined;

	constructor(options: SeenSkillsOptions) {
		this.#options = options;
		this.#stored = openKeyv({ ...options, namespace: "seen-skills" });
	}

	/** Records the skills of the data directory. Returns by path when their present content was first seen. */
	async note(found: readonly FoundSkill[]): Promise<ReadonlyMap<string, number>> {
		const own = found.filter(({ skill }) => skill.source === "data");
		// Only when they are used: a gateway without skills does not read its store for them.
		if (own.length === 0 && this.#seen === undefined) return new Map();
		const stored = this.#seen ?? new Map(await this.#stored.get(key));
		// Another request may have come first.
		const before = this.#seen ?? stored;
		const now: SeenByPath = new Map(own.map((one) => [one.path, this.#now(one, before)]));
		const isSame = before.size === now.size && [...now].every(([path, seen]) => before.get(path) === seen);
		if (!isSame) {
			this.#seen = now;
			await this.#stored.set(key, [...now]);
		}
		this.#seen ??= now;
		return new Map([...now].map(([path, { changedAt }]) => [path, changedAt]));
	}

	#now({ path, skill: { name, hash } }: FoundSkill, before: SeenByPath): Seen {
		const known = before.get(path);
		if (known?.hash === hash) return known;
		const { log, clock, sandbox } = this.#options;
		const { mode, operator } = sandbox.state;
		const isExposed = mode === "off" || operator === "off";
		const words = `a skill of the data directory ${known ? "has changed" : "is new"}`;
		if (isExposed) log.warn(`${words}, and commands run without a sandbox: review it`, { skill: name, path });
		else log.info(words, { skill: name, path });
		return { hash, changedAt: clock.now() };
	}
}
