import { commandTable } from "@parley/connector";
import { manifestOf, runSlack, type SlackCall } from "@parley/slack";
import type { Random } from "../../random.ts";
import { InProcessPort } from "../../simulators/slack/in-process.ts";
import type { AppManifest } from "../../simulators/slack/platform/manifest.ts";
import { Simulator } from "../../simulators/slack/platform/simulator.ts";
import type { Fault } from "../../simulators/slack/web-api/network.ts";
import { type ChaosPlatform, type ChaosPlatformParts, ChaosRun } from "./chaos-run.ts";
import type { PlatformProcess } from "./killable-connector.ts";
import { SeenGrowth } from "./seen-growth.ts";
import { judgeDeleted } from "./slack-judge.ts";
import { SlackPeople } from "./slack-people.ts";

export type SlackChaosRun = ChaosRun<Simulator, SlackPeople>;

export function slackChaosRun(seed: number, directory: string, kills: number): SlackChaosRun {
	return new ChaosRun({ seed, directory, kills, openPlatform: (parts) => new SlackChaosPlatform(parts) });
}

export class SlackChaosPlatform implements ChaosPlatform<Simulator, SlackPeople> {
	readonly name = "slack";
	/** Virtual milliseconds, longer than the time in which Slack makes all retries of an event. */
	readonly calmMs = 7 * 60_000;
	readonly longestMs = 30 * 60_000;
	readonly simulator: Simulator;
	readonly people: SlackPeople;
	readonly tenants: readonly string[];
	readonly cuts: readonly (() => void)[];
	readonly growth = new SeenGrowth();
	failed = 0;
	readonly judgeRemoved = judgeDeleted;
	readonly #random: Random;

	constructor({ clock, random, seed }: ChaosPlatformParts) {
		// The cast is safe because `manifestOf` returns a manifest in the format of Slack.
		const manifest = manifestOf({ shapes: commandTable }) as AppManifest;
		this.simulator = new Simulator({ clock, seed, manifest });
		this.people = new SlackPeople(this.simulator, random);
		this.tenants = [this.simulator.home.id];
		this.#random = random;
		const drop = (): void => this.simulator.delivery.drop();
		this.cuts = [drop, drop];
	}

	break(): void {
		this.simulator.delivery.disorder = { duplicate: 0.2, reorder: 0.2 };
		this.simulator.network.each((label) => this.#faultOf(label));
	}

	heal(): void {
		this.simulator.network.heal();
		this.simulator.delivery.disorder = {};
	}

	nextProcess(): PlatformProcess {
		const { simulator } = this;
		const port = new InProcessPort(simulator);
		// Separate from `port`, so that a request from before the death of the process still reaches the platform.
		const wire = new InProcessPort(simulator);
		return {
			run: (options, guarded) =>
				runSlack({
					...{ ...options, botToken: simulator.token },
					port: {
						call: (call) =>
							guarded(async () => {
								const answer = await wire.call(call);
								if (answer.type === "ok") this.#note(call);
								return answer;
							}),
						respond: (...answer) => guarded(() => port.respond(...answer)),
						upload: (...file) => guarded(() => port.upload(...file)),
						download: (...args) => guarded(() => port.download(...args)),
						connect: (handlers) => port.connect(handlers),
						close: () => port.close(),
					},
				}),
			kill: () => port.kill(),
		};
	}

	#note({ method, args }: SlackCall): void {
		const post = `${args["channel"]}-${args["ts"]}`;
		if (method === "chat.update") this.growth.edited(post, args);
		if (method === "chat.appendStream") this.growth.added(post);
	}

	#faultOf(label: string): Fault | undefined {
		// The connector does not retry a failed download: it delivers the message without the file and posts a notice.
		if (label === "download" || !this.#random.chance(0.12)) return undefined;
		if (label === "users.info" || label.startsWith("conversations.")) this.people.pendingActions.disturbed();
		this.failed += 1;
		return this.#random.pick<Fault>([
			{ drop: "before" },
			{ drop: "after-commit" },
			{ status: 502 },
			{ status: 503, drop: "after-commit" },
			{ status: 429, retryAfter: 1000 },
			{ error: "internal_error", drop: "after-commit" },
			{ delayMs: 2000 },
		]);
	}
}
