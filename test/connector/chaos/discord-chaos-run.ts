import { runDiscord } from "@parley/discord";
import { GatewayIntentBits } from "discord-api-types/v10";
import type { Random } from "../../random.ts";
import { InProcessPort } from "../../simulators/discord/in-process.ts";
import { Simulator } from "../../simulators/discord/platform/simulator.ts";
import type { Fault } from "../../simulators/discord/rest/network.ts";
import { type ChaosPlatform, type ChaosPlatformParts, ChaosRun } from "./chaos-run.ts";
import { judgeDeleted } from "./judge-messages.ts";
import type { PlatformProcess } from "./killable-connector.ts";
import { People } from "./people.ts";
import { SeenGrowth } from "./seen-growth.ts";
import { StoredSession } from "./stored-session.ts";

const intents =
	GatewayIntentBits.Guilds |
	GatewayIntentBits.GuildMessages |
	GatewayIntentBits.GuildMessageReactions |
	GatewayIntentBits.DirectMessages |
	GatewayIntentBits.DirectMessageReactions |
	GatewayIntentBits.MessageContent;

export type DiscordChaosRun = ChaosRun<Simulator, People>;

export function discordChaosRun(seed: number, directory: string, kills: number): DiscordChaosRun {
	return new ChaosRun({ seed, directory, kills, openPlatform: (parts) => new DiscordChaosPlatform(parts) });
}

export class DiscordChaosPlatform implements ChaosPlatform<Simulator, People> {
	readonly name = "discord";
	readonly calmMs = 60_000;
	readonly longestMs = 20 * 60_000;
	readonly simulator: Simulator;
	readonly people: People;
	readonly tenants: readonly string[];
	readonly cuts: readonly (() => void)[];
	readonly growth = new SeenGrowth();
	failed = 0;
	readonly judgeRemoved = judgeDeleted;
	readonly #random: Random;
	#session = new StoredSession(undefined);

	constructor({ clock, random, seed }: ChaosPlatformParts) {
		// The shortest nonce lifetime that the connector relies on. With a longer lifetime, the test could miss a late
		// retry.
		this.simulator = new Simulator({ clock, seed, settings: { nonceMs: 60_000 } });
		this.people = new People(this.simulator, random);
		this.tenants = [this.simulator.home.id, "dm"];
		this.#random = random;
		const { gateway } = this.simulator;
		this.cuts = [
			() => gateway.drop(),
			() => gateway.reconnect(),
			() => gateway.invalidate(random.chance(0.5)),
		];
	}

	break(): void {
		this.simulator.gateway.unruly({ duplicate: 0.2, reorder: 0.2 });
		this.simulator.network.each((label) => this.#faultOf(label));
	}

	heal(): void {
		this.simulator.network.heal();
		this.simulator.gateway.unruly({});
	}

	nextProcess(isLost: boolean): PlatformProcess {
		const session = new StoredSession(isLost ? undefined : this.#session.left);
		this.#session = session;
		const { simulator, growth } = this;
		const port = new InProcessPort(simulator, { intents, sessions: session.store });
		// Separate from `port`, so that a request from before the death of the process still reaches the platform.
		const wire = new InProcessPort(simulator, { intents });
		return {
			run: (options, guarded) =>
				runDiscord({
					...{ ...options, token: simulator.token },
					port: {
						request: (request) =>
							guarded(async () => {
								const response = await wire.request(request);
								const { method, path, body } = request;
								if (method === "PATCH" && response.status === 200) growth.edited(path, body);
								return response;
							}),
						download: (...args) => guarded(() => port.download(...args)),
						connect: ({ dispatch, link }) => port.connect({ dispatch: session.watched(dispatch), link }),
						present: (presence) => port.present(presence),
						close: () => port.close(),
					},
				}),
			kill() {
				session.end();
				port.kill();
			},
		};
	}

	#faultOf(label: string): Fault | undefined {
		if (!this.#random.chance(0.12)) return undefined;
		if (label.includes("/interactions/")) this.people.pendingActions.disturbed();
		this.failed += 1;
		return this.#random.pick<Fault>([
			{ drop: "before" },
			{ drop: "after-commit" },
			{ status: 502 },
			{ status: 503, drop: "after-commit" },
			{ status: 429, retryAfter: 700 },
			{ status: 429, retryAfter: 300, scope: "global" },
			{ delayMs: 2000 },
		]);
	}
}
