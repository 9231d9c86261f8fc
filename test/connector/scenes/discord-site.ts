import { seededIds } from "@parley/base/testing";
import { runDiscord } from "@parley/discord";
import { GatewayIntentBits } from "discord-api-types/v10";
import { InProcessPort, type SessionStore } from "../../simulators/discord/in-process.ts";
import type { Channel } from "../../simulators/discord/people/channel.ts";
import type { Person } from "../../simulators/discord/people/person.ts";
import type { Shown } from "../../simulators/discord/people/shown.ts";
import { messageText } from "../../simulators/discord/people/transcript.ts";
import { deleteMessage } from "../../simulators/discord/platform/messages.ts";
import { Simulator } from "../../simulators/discord/platform/simulator.ts";
import type { Fault as DiscordFault } from "../../simulators/discord/rest/network.ts";
import { type Connecting, noticesOf, type Running, type Site, type SiteParts } from "./site.ts";
import type { Name, Sight } from "./step.ts";

const hourMs = 3_600_000;

const intents =
	GatewayIntentBits.Guilds |
	GatewayIntentBits.GuildMessages |
	GatewayIntentBits.GuildMessageReactions |
	GatewayIntentBits.DirectMessages |
	GatewayIntentBits.DirectMessageReactions |
	GatewayIntentBits.MessageContent;

const routes: Readonly<Record<string, string>> = {
	post: "POST /channels/{channel_id}/messages",
	edit: "PATCH /channels/{channel_id}/messages/{message_id}",
	read: "GET /channels/{channel_id}/messages",
	"read channel": "GET /channels/{channel_id}/messages",
};

type Right =
	| "SendMessages"
	| "ViewChannel"
	| "CreatePublicThreads"
	| "ReadMessageHistory"
	| "AttachFiles"
	| "AddReactions";

export class DiscordSite implements Site {
	static readonly platform = "discord";
	readonly platform = DiscordSite.platform;
	/**
	 * Maximum milliseconds without a typing indicator. On Discord, a post ends the typing indicator until the next
	 * typing request.
	 */
	readonly typingGapMs = 3000;
	readonly simulator: Simulator;
	readonly directory: string;
	readonly #joinMs: number;
	readonly people: Readonly<Record<Name, Person>>;
	readonly general: Channel;
	readonly random: Channel;
	readonly rules: Site["rules"];
	readonly place: Site["place"];
	readonly otherPlace: Site["otherPlace"];
	readonly notices: Site["notices"];
	#pings = 0;
	#sessions: SessionStore = {};

	constructor({ clock, scene, directory }: SiteParts) {
		this.directory = directory;
		this.#joinMs = scene.joins ? 2000 : 0;
		this.simulator = new Simulator({ clock });
		const { home } = this.simulator;
		home.role("owners", { permissions: ["ManageGuild", "ManageMessages"] });
		const member = (name: Name, role?: string) => this.simulator.member(name, role ? { roles: [role] } : {});
		this.people = {
			...{ Olga: member("Olga", "owners"), Alex: member("Alex", "approvers") },
			...{ Mia: member("Mia", "members"), Max: member("Max", "members"), Gus: member("Gus", "visitors") },
			Sam: member("Sam"),
			Robo: this.simulator.member("Robo", {
				bot: true,
				roles: [scene.robo === "approver" ? "approvers" : "members"],
			}),
		};
		this.general = this.simulator.channel("general");
		this.random = this.simulator.channel("random");
		if (scene.welcome) home.record.systemChannelId = this.random.id;
		const server = { platform: "discord", tenant: home.id };
		const role = (name: string) => ({ ...server, platformRole: home.role(name).id });
		const direct = { platform: "discord", tenant: "dm" };
		this.rules = [
			{ ...role("owners"), as: "owner" },
			{ ...role("approvers"), as: "approver" },
			{ ...role("members"), as: "member" },
			{ ...role("visitors"), as: "guest" },
			{ ...direct, user: this.people.Olga.id, as: "owner" },
			{ ...direct, user: this.people.Mia.id, as: "member" },
		];
		const { approvalHours, ...profile } = scene.place ?? {};
		const approval = approvalHours === undefined ? {} : { approvalMs: approvalHours * hourMs };
		const name = (id: string) => `discord:${home.id}:${id}`;
		const random = name(this.random.id);
		const approveIn = scene.notices?.approveIn && { approveIn: [random] };
		const directName = `discord:dm:${this.people.Mia.dm.id}`;
		const set = scene.settingsOf === "dm" ? directName : name(this.general.id);
		this.place = [set, { root: directory, ...profile, ...approval, ...approveIn }];
		this.otherPlace = approveIn && [random, { mention: "required" }];
		const idOf = (person: Name) => name(this.people[person].id);
		this.notices = scene.notices && [name(this.general.id), noticesOf(scene.notices, idOf)];
	}

	get tenant(): string {
		return this.simulator.home.id;
	}

	get tenants(): readonly string[] {
		return ["dm", this.tenant];
	}

	get mention(): string {
		return this.simulator.mention;
	}

	get isReady(): boolean {
		return this.simulator.commands().length > 10;
	}

	room(name: string, person: Person): Channel {
		if (name === "general") return this.general;
		if (name === "random") return this.random;
		if (name === "dm") return person.dm;
		const threads = this.simulator.threads();
		const match = name === "thread" ? threads.at(-1) : threads.find((thread) => thread.name === name);
		if (!match) throw new Error(`there is no room ${name}`);
		return match;
	}

	/**
	 * Returns the direct messages of Sam, because Discord cannot show Sam a private notice in a channel. Undefined for
	 * other people.
	 */
	directOf(person: string): Channel | undefined {
		const { Sam } = this.people;
		return Sam.id === person ? Sam.dm : undefined;
	}

	rooms(): readonly Channel[] {
		return [this.general, this.random, this.people.Mia.dm, this.people.Sam.dm];
	}

	written(shown: Shown): string {
		return messageText(shown);
	}

	platformForm(sight: Sight): Sight {
		return sight;
	}

	traces(): string {
		const messages = [...this.simulator.state.channels.values()].flatMap((channel) => channel.messages);
		return messages.map(({ editedAt, deleted }) => `${editedAt}${deleted}`).join();
	}

	drainPings(): string[] {
		const names = this.simulator.pings.slice(this.#pings).map(({ who }) => who);
		this.#pings = this.simulator.pings.length;
		return names;
	}

	drainFaults(): string[] {
		const pings = this.drainPings().map((who) => `notified: ${who}`);
		const faults = this.simulator.network.pending > 0 ? ["a fault that was planned did not happen"] : [];
		return [...this.simulator.drainViolations(), ...pings, ...faults];
	}

	connect(connecting: Connecting): Promise<Running> {
		return runDiscord({
			...{
				...connecting,
				joinMs: this.#joinMs,
				token: this.simulator.token,
				ids: seededIds(7),
				chance: () => 0.5,
			},
			port: new InProcessPort(this.simulator, { intents, sessions: this.#sessions }),
		});
	}

	forget(): void {
		this.#sessions = {};
	}

	cut(): void {
		this.simulator.gateway.drop();
	}

	fail(request: string, fault: DiscordFault): void {
		this.simulator.network.next(routes[request] ?? request, fault);
	}

	archive(room: Channel, locked: boolean): void {
		room.archive({ locked });
	}

	lock(room: Channel): void {
		room.lock();
	}

	reopen(room: Channel): void {
		room.reopen();
	}

	forbid(room: Channel, rights: readonly Right[]): void {
		room.permit(this.simulator.bot, { deny: rights });
	}

	open(room: Channel, to: Person): void {
		room.permit(to, { allow: ["ViewChannel"] });
	}

	remove(room: Channel): void {
		room.delete();
	}

	moderate(room: Channel, { id }: { readonly id: string }): void {
		const { state } = this.simulator;
		deleteMessage(state, this.people.Olga.user, state.message(room.record, id));
	}
}
