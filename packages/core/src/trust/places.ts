import { defined, ParleyError } from "@parley/base";
import { noProfiles } from "../policy/profiles/profile.ts";
import { type Keyed, once } from "../store/idempotency.ts";
import { fromRow, type Tx } from "../store/journal.ts";
import { isDenied } from "../store/person-role.ts";
import { stamp } from "../store/tables.ts";
import { authorize } from "../vocabulary/authorize.ts";
import type { ChatSettings, PlaceProfile } from "../vocabulary/chat-settings.ts";
import { actingId, type Person, type Place, type Principal, placeKey } from "../vocabulary/principal.ts";
import type { NoticeSchedule } from "../vocabulary/prompt.ts";
import { requestedBy } from "./audit/audit.ts";
import type { AssignableRole } from "./people/person-rows.ts";
import { checkKnown, checkModel, checkPlace, type PlaceSurroundings } from "./place-check.ts";
import type { TrustOptions } from "./shared/trust-options.ts";
import { channelTexts } from "./texts.ts";

export interface PlaceFacts {
	readonly key: string;
	readonly profile: PlaceProfile;
	readonly source: "configuration" | "operator";
}

export interface Welcome {
	readonly posts: boolean;
	/** Ids of people who may approve, at most 5. */
	readonly approvers: string[];
	/** Ids of platform roles that give permission to approve, at most 5. */
	readonly approverRoles: string[];
	readonly prompts: string[];
}

/** Manages the channel settings from the configuration and from the operator. */
export class Places {
	readonly #options: TrustOptions;
	readonly #surroundings: PlaceSurroundings;
	#configured: ReadonlyMap<string, PlaceProfile>;
	/** Settings that the operator set at run time, in their stored form. */
	readonly #set = new Map<string, PlaceProfile>();

	constructor(options: TrustOptions) {
		const { profiles = noProfiles, tools, roots } = options;
		this.#options = options;
		this.#surroundings = { profiles, tools, roots };
		this.#configured = new Map(Object.entries(options.chat?.places ?? {}));
	}

	/** Loads the settings from the database before the gateway serves requests. Throws for an invalid configuration. */
	async load(): Promise<void> {
		const checked = [...this.#configured].map(
			async ([key, profile]) => [key, await checkPlace(key, profile, this.#surroundings)] as const,
		);
		this.#configured = new Map(await Promise.all(checked));
		const rows = await this.#options.store.read((db) => db.selectFrom("places").selectAll().execute());
		for (const { key, profile } of rows) this.#set.set(key, fromRow<PlaceProfile>(profile));
	}

	/**
	 * Returns the settings of the channel `place`. Default: the settings of the channel's guild or team. Returns an empty
	 * object if neither has settings.
	 */
	profileOf(place: string | undefined): PlaceProfile {
		if (place === undefined) return {};
		const [platform, tenant] = place.split(":");
		return this.#find(place) ?? this.#find(`${platform}:${tenant}`) ?? {};
	}

	/**
	 * Returns the contents of a welcome for a person. Only a person with access sees the approvers. Undefined if the gateway has no
	 * welcome setting.
	 */
	async welcomeFor({ place, role }: Person): Promise<Welcome | undefined> {
		const { chat, store } = this.#options;
		if (chat?.welcome === undefined) return undefined;
		const { posts, prompts } = chat.welcome;
		const named = this.profileOf(placeKey(place)).approvers;
		const mayRead = role !== "stranger";
		const approvers = mayRead ? await store.read((db) => approversIn(db, place, { named, chat })) : [];
		const approverRoles = mayRead && !named ? approverRolesIn(place, chat) : [];
		return { posts, approvers, approverRoles, prompts: [...prompts] };
	}

	/** Whether a typed message may answer an approval request. */
	get typedApprovals(): boolean {
		return this.#options.chat?.typedApprovals ?? true;
	}

	/**
	 * Returns the notice settings for approvals of the channel `place`. Default: the settings of the channel's guild or
	 * team. Returns undefined if neither has settings, or if the settings reach no person or channel. `answeredIn` are the
	 * other channels in which the approvals may be answered.
	 */
	async noticesOf(
		place: string | undefined,
		answeredIn: readonly string[],
	): Promise<NoticeSchedule | undefined> {
		if (place === undefined) return undefined;
		const [platform = "", tenant = "", channel = ""] = place.split(":");
		const { chat, store } = this.#options;
		const settings = chat?.notices?.[place] ?? chat?.notices?.[`${platform}:${tenant}`];
		if (!chat || !settings) return undefined;
		const here = { platform, tenant, channel, shared: false };
		const named = this.profileOf(place).approvers;
		const approvers = named ?? (await store.read((db) => approversIn(db, here, { named, chat })));
		// The session's connector reaches no other guild or team.
		const isOfTenant = (id: string): boolean => id.startsWith(`${platform}:${tenant}:`);
		const channels = answeredIn.filter(isOfTenant);
		const roles = named ? [] : approverRolesIn(here, chat);
		const groups = settings.groups.map(({ people, by }) => ({
			people: (people ?? approvers).filter(isOfTenant),
			by,
			...defined({
				roles: people === undefined && roles.length > 0 ? roles : undefined,
				channels: by.includes("channel") ? channels : undefined,
			}),
		}));
		const reachable = groups.filter(
			({ people, by, roles: all = [] }) =>
				people.length > 0 || by.includes("channel") || (all.length > 0 && by.includes("mention")),
		);
		return reachable.length > 0 ? { ...settings, groups: reachable } : undefined;
	}

	/**
	 * Returns the other channels in which approvals of the channel `place` may be answered. Omits channels that no longer
	 * have settings.
	 */
	approveIn(place: string | undefined): readonly string[] {
		const { approveIn = [] } = (place === undefined ? undefined : this.#find(place)) ?? {};
		return approveIn.filter((key) => this.#find(key) !== undefined);
	}

	/** Returns each other channel whose approvals may be answered in the channel `place`. */
	answeredIn(place: string): readonly string[] {
		const keys = new Set([...this.#configured.keys(), ...this.#set.keys()]);
		return [...keys].filter((key) => this.approveIn(key).includes(place));
	}

	/** Returns all channels, guilds and teams with settings, sorted by key. */
	async list(principal: Principal): Promise<PlaceFacts[]> {
		authorize(principal, "place.read");
		const configured = [...this.#configured].map(
			([key, profile]) => ({ key, profile, source: "configuration" }) as const,
		);
		const set = [...this.#set].map(([key, profile]) => ({ key, profile, source: "operator" }) as const);
		return [...configured.filter(({ key }) => !this.#set.has(key)), ...set].sort((a, b) =>
			a.key < b.key ? -1 : 1,
		);
	}

	/** Replaces the settings of a channel, guild or team. Throws `invalid_argument` for invalid settings. */
	async set(request: Keyed, key: string, requested: PlaceProfile): Promise<void> {
		const { principal } = request;
		authorize(principal, "place.manage");
		const profile = await checkPlace(key, requested, this.#surroundings);
		// `load` omits the next two checks, because the gateway must start even if models and channels have changed.
		checkKnown(key, profile, (other) => this.#find(other) !== undefined);
		await checkModel(key, profile, this.#options.checkModel);
		await this.#once(request, async (tx) => {
			const values = {
				profile: JSON.stringify(profile),
				set_by: actingId(principal),
				set_at: this.#options.clock.now(),
				...stamp,
			};
			await tx
				.insertInto("places")
				.values({ key, ...values })
				.onConflict((known) => known.column("key").doUpdateSet(values))
				.execute();
			const entry = { action: "place.set", object: key, decision: "allowed", args: profile };
			await this.#options.audit.record(tx, { ...requestedBy(principal), ...entry });
		});
		await this.#learn(key);
	}

	/**
	 * Removes the operator's settings of a channel, guild or team. Configured settings then apply again. Throws `not_found`
	 * if the operator has set no settings.
	 */
	async remove(request: Keyed, key: string): Promise<void> {
		const { principal } = request;
		authorize(principal, "place.manage");
		await this.#once(request, async (tx) => {
			const known = await tx.selectFrom("places").select("key").where("key", "=", key).executeTakeFirst();
			if (!known) throw this.#notSet(key);
			await tx.deleteFrom("places").where("key", "=", key).execute();
			const entry = { action: "place.remove", object: key, decision: "allowed" };
			await this.#options.audit.record(tx, { ...requestedBy(principal), ...entry });
		});
		await this.#learn(key);
	}

	#find(key: string): PlaceProfile | undefined {
		return this.#set.get(key) ?? this.#configured.get(key);
	}

	/**
	 * Updates the settings in memory from the stored row, because two concurrent changes can reach this method
	 * in any order.
	 */
	async #learn(key: string): Promise<void> {
		const row = await this.#options.store.read((db) =>
			db.selectFrom("places").select("profile").where("key", "=", key).executeTakeFirst(),
		);
		if (row) this.#set.set(key, fromRow<PlaceProfile>(row.profile));
		else this.#set.delete(key);
	}

	#notSet(key: string): ParleyError {
		const reason = this.#configured.has(key) ? channelTexts.fromConfiguration : channelTexts.listChannels;
		return new ParleyError(channelTexts.notRemovable(key, reason), { code: "not_found" });
	}

	async #once(request: Keyed, work: (tx: Tx) => Promise<void>): Promise<void> {
		const { store, clock, secrets } = this.#options;
		const deps = { clock, fingerprint: (text: string) => secrets.fingerprint(text) };
		await store.commit((tx) =>
			once(tx, request, deps, async () => {
				await work(tx);
				return null;
			}),
		);
	}
}

const maxNamed = 5;
const approving: readonly AssignableRole[] = ["approver", "owner"];

/**
 * Returns at most five ids of people who may approve in the channel. Omits people whose role comes only from
 * a platform role, so the list may be empty.
 */
async function approversIn(
	db: Tx,
	place: Place,
	{ named, chat }: { readonly named: readonly string[] | undefined; readonly chat: ChatSettings },
): Promise<string[]> {
	const { platform, tenant } = place;
	const here = `${platform}:${tenant}:`;
	if (named) return named.filter((id) => id.startsWith(here)).slice(0, maxNamed);
	const rows = await db
		.selectFrom("people")
		.select("user_id")
		.where("platform", "=", platform)
		.where("tenant", "=", tenant)
		.where("role", "in", approving)
		.orderBy("created_at")
		.orderBy("id")
		.limit(maxNamed)
		.execute();
	const configured = chat.allow.flatMap((rule) => {
		const isHere =
			rule.platform === platform && (rule.tenant ?? tenant) === tenant && rule.channel === undefined;
		const isOne = isHere && rule.platformRole === undefined && approving.includes(rule.as);
		return isOne && rule.user !== undefined ? [rule.user] : [];
	});
	const users = [...new Set([...configured, ...rows.map(({ user_id: user }) => user)])];
	return users
		.filter((id) => {
			const actor = { id, name: "", roles: [], guest: false };
			return !isDenied({ actor, place, given: "stranger" }, chat);
		})
		.slice(0, maxNamed)
		.map((user) => `${here}${user}`);
}

/**
 * Returns at most five platform roles whose members may approve in the channel. Uses only rules for the channel's guild
 * or team, because other guilds and teams have different roles.
 */
function approverRolesIn({ platform, tenant, channel }: Place, chat: ChatSettings): string[] {
	const roles = chat.allow.flatMap((rule) => {
		const isHere =
			(rule.platform ?? platform) === platform &&
			rule.tenant === tenant &&
			(rule.channel ?? channel) === channel;
		const isOfAll = isHere && rule.user === undefined && approving.includes(rule.as);
		return isOfAll && rule.platformRole !== undefined ? [rule.platformRole] : [];
	});
	return [...new Set(roles)].slice(0, maxNamed);
}
