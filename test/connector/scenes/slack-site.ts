import { seededIds } from "@parley/base/testing";
import { commandTable } from "@parley/connector";
import { manifestOf, runSlack } from "@parley/slack";
import { InProcessPort } from "../../simulators/slack/in-process.ts";
import type { Channel } from "../../simulators/slack/people/channel.ts";
import type { PersonOptions } from "../../simulators/slack/people/person.ts";
import type { Shown } from "../../simulators/slack/people/shown.ts";
import { messageText } from "../../simulators/slack/people/transcript.ts";
import type { AppManifest } from "../../simulators/slack/platform/manifest.ts";
import { Simulator } from "../../simulators/slack/platform/simulator.ts";
import type { Fault } from "../../simulators/slack/web-api/network.ts";
import { type Connecting, noticesOf, type Running, type Site, type SiteParts } from "./site.ts";
import { SlackPlayer } from "./slack-player.ts";
import { asRead, SlackRoom } from "./slack-room.ts";
import type { Name, Sight } from "./step.ts";

const hourMs = 3_600_000;

const methods: Readonly<Record<string, string>> = {
	post: "chat.postMessage",
	edit: "chat.update",
	read: "conversations.replies",
	"read channel": "conversations.history",
};

/**
 * A Slack workspace. Ignores expectations about the visibility and name of a thread, because replies are visible only
 * in their thread and threads have no names. Scenes identify a thread by the task in its first post, or by the name
 * from `opensThread`.
 */
export class SlackSite implements Site {
	static readonly platform = "slack";
	readonly platform = SlackSite.platform;
	readonly typingGapMs = 1000;
	readonly simulator: Simulator;
	readonly directory: string;
	readonly #joinMs: number;
	readonly people: Readonly<Record<Name, SlackPlayer>>;
	readonly general: SlackRoom;
	readonly random: SlackRoom;
	readonly rules: Site["rules"];
	readonly place: Site["place"];
	readonly otherPlace: Site["otherPlace"];
	readonly notices: Site["notices"];
	#pings = 0;
	readonly #rooms = new Map<string, SlackRoom>();
	readonly #named = new Map<string, Channel>();

	constructor({ clock, scene, directory }: SiteParts) {
		this.directory = directory;
		this.#joinMs = scene.joins ? 2000 : 0;
		// The cast is safe because `manifestOf` returns a manifest in the format of Slack.
		const manifest = manifestOf({ shapes: commandTable }) as AppManifest;
		this.simulator = new Simulator({ clock, manifest });
		const player = (name: Name, options: PersonOptions = {}) => this.player(name, options);
		this.people = {
			...{ Olga: player("Olga", { owner: true }), Alex: player("Alex"), Mia: player("Mia") },
			...{ Max: player("Max"), Gus: player("Gus", { guest: true }), Sam: player("Sam") },
			Robo: player("Robo", { bot: true }),
		};
		this.general = this.roomOf(this.simulator.channel("general"));
		this.random = this.roomOf(this.simulator.channel("random"));
		const { Olga, Alex, Mia, Max, Gus, Robo } = this.people;
		const rule = ({ id: user }: SlackPlayer) => ({ platform: "slack", tenant: this.tenant, user });
		this.rules = [
			{ ...rule(Olga), as: "owner" },
			{ ...rule(Alex), as: "approver" },
			{ ...rule(Robo), as: scene.robo ?? "member" },
			// A guest of the workspace remains a guest under any rule.
			...[Mia, Max, Gus].map((one) => ({ ...rule(one), as: "member" as const })),
		];
		const { approvalHours, ...settings } = scene.place ?? {};
		const approval = approvalHours === undefined ? {} : { approvalMs: approvalHours * hourMs };
		const name = (id: string) => `slack:${this.tenant}:${id}`;
		const random = name(this.random.channel.id);
		const approveIn = scene.notices?.approveIn && { approveIn: [random] };
		const general = name(this.general.channel.id);
		const set = scene.settingsOf === "dm" ? name(Mia.person.dm.record.id) : general;
		this.place = [set, { root: directory, ...settings, ...approval, ...approveIn }];
		this.otherPlace = approveIn && [random, { mention: "required" }];
		const idOf = (person: Name) => name(this.people[person].id);
		this.notices = scene.notices && [general, noticesOf(scene.notices, idOf)];
	}

	get tenant(): string {
		return this.simulator.home.id;
	}

	get tenants(): readonly string[] {
		return [this.tenant];
	}

	get mention(): string {
		return this.simulator.mention;
	}

	get isReady(): boolean {
		return this.simulator.delivery.connections > 0;
	}

	player(name: string, options: PersonOptions = {}, team = this.simulator.home): SlackPlayer {
		const opens = (thread: string, channel: Channel) => void this.#named.set(thread, channel);
		return new SlackPlayer(team.member(name, options), this.mention, opens);
	}

	/** Returns the same `SlackRoom` for the same channel or thread. */
	roomOf(channel: Channel): SlackRoom {
		const known = this.#rooms.get(channel.id);
		if (known) return known;
		const room = new SlackRoom(channel, this.simulator.bot.name);
		this.#rooms.set(channel.id, room);
		return room;
	}

	/** Returns the room with this name. `top` is `general` outside of threads. `group` is a group conversation of Mia and Max. */
	room(name: string, { person }: SlackPlayer): SlackRoom {
		if (name === "general") return this.general;
		if (name === "random") return this.random;
		if (name === "top") return new SlackRoom(this.general.channel);
		if (name === "dm") return this.roomOf(person.dm);
		if (name === "group") {
			return this.roomOf(this.simulator.home.conversation(this.people.Mia.person, this.people.Max.person));
		}
		const match = name === "thread" ? this.simulator.threads().at(-1) : this.#thread(name);
		if (!match) throw new Error(`there is no room ${name}`);
		return this.roomOf(match);
	}

	rooms(): readonly SlackRoom[] {
		return [...this.#rooms.values()].filter(({ channel }) => channel.threadTs === undefined);
	}

	written(shown: Shown): string {
		return asRead(messageText(shown));
	}

	platformForm(sight: Sight): Sight {
		if (sight instanceof RegExp) return sight;
		if (typeof sight === "string") return isOfDiscord(sight) ? [] : command(sight);
		const shared = sight.filter((part) => !isOfDiscord(part));
		return shared.map((part) => (typeof part === "string" ? command(part) : part));
	}

	traces(): string {
		const messages = [...this.simulator.state.channels.values()].flatMap((channel) => channel.messages);
		return messages.map(({ changes, deleted }) => `${changes}${deleted}`).join();
	}

	drainPings(): string[] {
		const names = this.simulator.pings.slice(this.#pings).map(({ who }) => who);
		this.#pings = this.simulator.pings.length;
		return names;
	}

	drainFaults(): string[] {
		const { simulator } = this;
		const pings = this.drainPings().map((who) => `notified: ${who}`);
		const faults = simulator.network.pending > 0 ? ["a fault that was planned did not happen"] : [];
		const lost = simulator.delivery.lost.map((event) => `given up by Slack: ${event}`);
		return [...simulator.drainViolations(), ...pings, ...faults, ...lost];
	}

	connect(connecting: Connecting): Promise<Running> {
		return runSlack({
			...{
				...connecting,
				joinMs: this.#joinMs,
				botToken: this.simulator.token,
				ids: seededIds(7),
				chance: () => 0.5,
			},
			port: new InProcessPort(this.simulator),
		});
	}

	forget(): void {
		// Slack has no queue of events for a later connection: it only repeats unacknowledged events.
	}

	cut(): void {
		this.simulator.delivery.drop();
	}

	fail(request: string, fault: Fault): void {
		this.simulator.network.next(methods[request] ?? request, fault);
	}

	archive({ channel }: SlackRoom): void {
		channel.archive();
	}

	lock(_: SlackRoom): never {
		throw new Error("Slack has no locked threads");
	}

	reopen({ channel }: SlackRoom): void {
		channel.archive(false);
	}

	forbid(_: SlackRoom, rights: readonly string[]): never {
		throw new Error(`Slack cannot forbid ${rights.join()} in one channel`);
	}

	open({ channel }: SlackRoom, { person }: SlackPlayer): void {
		channel.joins(person);
	}

	remove({ channel }: SlackRoom): void {
		channel.delete();
	}

	moderate({ channel }: SlackRoom, message: { readonly id: string }): void {
		channel.moderates(message);
	}

	#thread(name: string): Channel | undefined {
		const named = this.#named.get(name);
		if (named) return named;
		for (const { channel } of this.rooms()) {
			const root = channel
				.shows()
				.find(({ author, text }) => author === this.simulator.bot.name && text.includes(`**${name}**`));
			if (root) return channel.thread(root);
		}
		return undefined;
	}
}

function command(text: string): string {
	return text.replace(/`\/(?=task |session )/g, "`/parley ");
}

function isOfDiscord(part: string | RegExp): boolean {
	return typeof part === "string" && /^\(?to \w+\)?$|^thread: /.test(part);
}
