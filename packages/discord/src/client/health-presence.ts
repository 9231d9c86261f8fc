import type { Clock, Timer } from "@parley/base";
import type { Health } from "@parley/connector";
import { ActivityType, PresenceUpdateStatus } from "discord-api-types/v10";
import { presenceTexts } from "../texts/presence.ts";
import type { DiscordPort, DiscordPresence } from "../vocabulary/discord-port.ts";

/**
 * Minimum time in milliseconds between presence changes. With this time, the changes use at most 12 of the 120
 * messages that Discord accepts per minute: events/gateway#rate-limiting
 */
const betweenMs = 5000;

const statuses = {
	working: PresenceUpdateStatus.Online,
	"gateway-unreachable": PresenceUpdateStatus.Idle,
	"model-failing": PresenceUpdateStatus.DoNotDisturb,
} as const;

/** Shows the health of the agent as the bot's presence. The presence of a new session is `online`. */
export class HealthPresence {
	readonly #port: DiscordPort;
	readonly #clock: Clock;
	#health: Health = "working";
	#shown: Health = "working";
	#isReady = false;
	#openAt = Number.NEGATIVE_INFINITY;
	#timer: Timer | undefined;

	constructor(port: DiscordPort, clock: Clock) {
		this.#port = port;
		this.#clock = clock;
	}

	show(health: Health): void {
		this.#health = health;
		this.#send();
	}

	/** Handles a change of the connection. A resumed session keeps its presence. */
	linked(link: { readonly state: string; readonly resumed?: boolean }): void {
		this.#isReady = link.state === "ready";
		if (!this.#isReady) return;
		if (!link.resumed) this.#shown = "working";
		this.#send();
	}

	stop(): void {
		this.#isReady = false;
		this.#timer?.cancel();
	}

	#send(): void {
		this.#timer?.cancel();
		if (!this.#isReady || this.#health === this.#shown) return;
		const now = this.#clock.monotonic();
		if (now < this.#openAt) {
			this.#timer = this.#clock.after(this.#openAt - now, () => this.#send());
			return;
		}
		this.#openAt = now + betweenMs;
		this.#shown = this.#health;
		this.#port.present(presenceOf(this.#health));
	}
}

function presenceOf(health: Health): DiscordPresence {
	const text = presenceTexts[health];
	// A custom status shows `state`, but also needs a name: events/gateway-events#update-presence
	const activity = { name: "Custom Status", type: ActivityType.Custom as const, state: text };
	return { since: null, afk: false, status: statuses[health], activities: text === "" ? [] : [activity] };
}
