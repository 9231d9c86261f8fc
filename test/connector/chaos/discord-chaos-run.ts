import { runDiscord } from "@parley/discord";
import { GatewayIntentBits } from "discord-api-types/v10";
import type { Random } from "../../random.ts";
import { InProcessPort } from "../../simulators/discord/in-process.ts";
import type { Fault } from "../../simulators/discord/rest/network.ts";
import { World } from "../../simulators/discord/world/world.ts";
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

export type DiscordChaosRun = ChaosRun<World, People>;

export function discordChaosRun(seed: number, directory: string, kills: number): DiscordChaosRun {
	return new ChaosRun({ seed, directory, kills, openPlatform: (parts) => new DiscordChaosPlatform(parts) });
}

export class DiscordChaosPlatform implements ChaosPlatform<World, People> {
	readonly name = "discord";
	readonly calmMs = 60_000;
	readonly longestMs = 20 * 60_000;
	readonly world: World;
	readonly people: People;
	readonly tenants: readonly string[];
	readonly cuts: readonly (() => void)[];
	readonly growth = new SeenGrowth();
	failed = 0;
	readonly judgeRemoved = judgeDeleted;
	readonly #random: Random;
	#session = new StoredSession(undefined);

	constructor({ clock, random, seed }: ChaosPlatformParts) {
		// The minimum that the connector relies on. A longer time would hide a repeat that comes too late.
		this.world = new World({ clock, seed, settings: { nonceMs: 60_000 } });
		this.people = new People(this.world, random);
		this.tenants = [this.world.home.id, "dm"];
		this.#random = random;
		const { gateway } = this.world;
		this.cuts = [
			() => gateway.drop(),
			() => gateway.reconnect(),
			() => gateway.invalidate(random.chance(0.5)),
		];
	}

	break(): void {
		this.world.gateway.unruly({ duplicate: 0.2, reorder: 0.2 });
		this.world.network.each((label) => this.#faultOf(label));
	}

	heal(): void {
		this.world.network.heal();
		this.world.gateway.unruly({});
	}

	nextProcess(isLost: boolean): PlatformProcess {
		const session = new StoredSession(isLost ? undefined : this.#session.left);
		this.#session = session;
		const { world, growth } = this;
		const port = new InProcessPort(world, { intents, sessions: session.store });
		// A request that has left a process arrives, although the process is dead by then.
		const wire = new InProcessPort(world, { intents });
		return {
			run: (options, guarded) =>
				runDiscord({
					...{ ...options, token: world.token },
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
