import type { ManualClock } from "@parley/base/testing";
import type { Config } from "@parley/gateway";
import type { Channel } from "../../simulators/discord/people/channel.ts";
import type { Person } from "../../simulators/discord/people/person.ts";
import { World } from "../../simulators/discord/world/world.ts";
import type { Name, Scene } from "./step.ts";

type Chat = NonNullable<Config["chat"]>;

const hourMs = 3_600_000;

/** The Discord of one scene with its people, and what the gateway's configuration says of them. */
export class Site {
	readonly world: World;
	/** Where the agent works. */
	readonly directory: string;
	readonly people: Readonly<Record<Name, Person>>;
	readonly general: Channel;
	readonly random: Channel;
	readonly rules: Chat["allow"];
	/** Of `general`. */
	readonly place: readonly [string, Chat["places"][string]];

	constructor(clock: ManualClock, scene: Pick<Scene, "place">, directory: string) {
		this.directory = directory;
		this.world = new World({ clock });
		const { home } = this.world;
		home.role("owners", { permissions: ["ManageGuild", "ManageMessages"] });
		const member = (name: Name, role?: string) => this.world.member(name, role ? { roles: [role] } : {});
		this.people = {
			...{ Olga: member("Olga", "owners"), Alex: member("Alex", "approvers") },
			...{ Mia: member("Mia", "members"), Max: member("Max", "members"), Gus: member("Gus", "visitors") },
			Sam: member("Sam"),
			Robo: this.world.member("Robo", { bot: true, roles: ["members"] }),
		};
		this.general = this.world.channel("general");
		this.random = this.world.channel("random");
		const role = (name: string) => ({ platform: "discord", platformRole: home.role(name).id });
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
		this.place = [`discord:${home.id}:${this.general.id}`, { root: directory, ...profile, ...approval }];
	}

	room(name: string, person: Person): Channel {
		if (name === "general") return this.general;
		if (name === "random") return this.random;
		if (name === "dm") return person.dm;
		const threads = this.world.threads();
		const found = name === "thread" ? threads.at(-1) : threads.find((thread) => thread.name === name);
		if (!found) throw new Error(`there is no room ${name}`);
		return found;
	}
}
