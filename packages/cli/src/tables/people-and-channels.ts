import { definedItems, formatUsdLimit } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import { beginsId } from "../command-line/ids.ts";
import { formatBytes } from "../text/amounts.ts";
import { tableRows } from "../text/columns.ts";
import type { OutputFormat } from "../text/styles.ts";
import { timeAgo, timeLeft } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { channelTableTexts, peopleTableTexts } from "../texts/tables/people.ts";

type People = MethodResult<"list_people">;
type Person = People["people"][number];
type Waiting = People["waiting"][number];

/**
 * Returns the rows of the people with access, followed by the open requests and invitations. `now` is in
 * milliseconds since the epoch.
 */
export function peopleRows({ people, waiting }: People, now: number, format: OutputFormat): string[] {
	if (people.length === 0 && waiting.length === 0) {
		return [peopleTableTexts.noPeople];
	}
	const known = [peopleTableTexts.columns, ...people.map((one) => personCells(one, now))];
	const open = [peopleTableTexts.waitingColumns, ...waiting.map((one) => waitingCells(one, now))];
	return definedItems([
		...(people.length > 0 ? tableRows({ rows: known, optional: [3, 4], elastic: 1 }, format) : []),
		people.length > 0 && waiting.length > 0 ? "" : undefined,
		...(waiting.length > 0 ? tableRows({ rows: open, optional: [5, 6], elastic: 1 }, format) : []),
		...hintsFor(waiting, format),
	]);
}

interface NamedPerson {
	readonly person: string;
	readonly name: string;
}

/** Returns the id of a person, with the display name if known. */
export function personWords({ person, name }: NamedPerson): string {
	return visibleLine(name === "" ? person : peopleTableTexts.person({ person, name }));
}

function personCells({ person, name, role, added_by, created_at }: Person, now: number): string[] {
	return [person, name, role, added_by, timeAgo(Date.parse(created_at), now)].map(visibleLine);
}

function waitingCells(one: Waiting, now: number): string[] {
	const { id, kind, person = "", name = "", platform = "any", tenant = "any", role = "", expires_at } = one;
	// The user id follows the platform and the tenant, which never contain a colon.
	const user = person.split(":").slice(2).join(":");
	const left = timeLeft(Date.parse(expires_at) - now);
	return [kind, name, platform, tenant, user, role, left, id].map(visibleLine);
}

function hintsFor(waiting: readonly Waiting[], { columns }: OutputFormat): string[] {
	const hasRequests = waiting.some(({ kind }) => kind === "request");
	const hints = definedItems([
		hasRequests ? peopleTableTexts.howToApprove : undefined,
		waiting.length > 0 ? peopleTableTexts.howToDeny : undefined,
	]);
	return hints.flatMap((hint) => wrapText(hint, columns));
}

/** Fields that identify an access request or an invitation. */
interface Named {
	readonly id: string;
	readonly person?: string;
	readonly name?: string;
	readonly kind: Waiting["kind"];
}

/** Returns the result of a denied request or a cancelled invitation in one line. */
export function deniedWords({ id, kind, person, name = "" }: Named): string {
	if (kind === "invitation") return peopleTableTexts.invitationCancelled({ id: visibleLine(id) });
	return peopleTableTexts.requestDenied({ person: personWords({ person: person ?? id, name }) });
}

/**
 * Returns the requests and invitations that match `named`: the beginning of an id, a person's id, or a display
 * name in any letter case. A person's id may be the id on the platform or in Parley. A complete id excludes
 * other matches.
 */
export function findWaiting<One extends Named>(waiting: readonly One[], named: string): readonly One[] {
	const own = waiting.filter(({ id }) => id === named);
	if (named === "") return [];
	if (own.length > 0) return own;
	return waiting.filter(
		({ id, person, name }) =>
			beginsId(id, named) ||
			person === named ||
			person?.split(":").slice(2).join(":") === named ||
			name?.toLowerCase() === named.toLowerCase(),
	);
}

type Channel = MethodResult<"list_places">["places"][number];

export function channelRows(channels: readonly Channel[], format: OutputFormat): string[] {
	if (channels.length === 0) {
		return [channelTableTexts.noChannels];
	}
	return channels.flatMap((channel) => settingRows(channel, format));
}

function settingRows({ place, profile, source }: Channel, { columns, styles }: OutputFormat): string[] {
	const by = source === "operator" ? channelTableTexts.setByOperator : channelTableTexts.configured;
	const words = settingWords(profile).flatMap((row) => wrapText(visibleLine(row), Math.max(10, columns - 2)));
	return [
		...wrapText(channelTableTexts.heading({ channel: visibleLine(place), by }), columns).map(styles.bold),
		...(words.length > 0 ? words : [channelTableTexts.defaults]).map((row) => `  ${row}`),
	];
}

function settingWords(profile: Channel["profile"]): string[] {
	const { agent, model, tools, root, approvers, budget_usd, quota_bytes, approval_hours } = profile;
	const { mention, sessions, live, answers, status, busy, context, approve_in } = profile;
	const facts: readonly (readonly [string, string | undefined])[] = [
		[channelTableTexts.agent, agent],
		[channelTableTexts.model, model],
		[channelTableTexts.tools, tools?.join(", ")],
		[channelTableTexts.directory, root],
		[channelTableTexts.approvers, approvers?.join(", ")],
		[channelTableTexts.approvalsAlsoIn, approve_in?.join(", ")],
		[
			channelTableTexts.budget,
			budget_usd === undefined ? undefined : channelTableTexts.aDay({ budget: formatUsdLimit(budget_usd) }),
		],
		[
			channelTableTexts.workspace,
			quota_bytes === undefined ? undefined : channelTableTexts.upTo({ size: formatBytes(quota_bytes) }),
		],
		[channelTableTexts.mention, mention],
		[channelTableTexts.sessions, sessions === "person" ? channelTableTexts.perPerson : sessions],
		[channelTableTexts.liveAnswers, live],
		[channelTableTexts.answersIn, answers],
		[channelTableTexts.status, status],
		[channelTableTexts.whileItWorks, busy],
		[channelTableTexts.earlierMessages, context === 0 ? channelTableTexts.off : context?.toString()],
		[
			channelTableTexts.approvalsExpireAfter,
			approval_hours === undefined ? undefined : channelTableTexts.hours({ hours: approval_hours }),
		],
	];
	return facts.flatMap(([name, value]) =>
		value === undefined ? [] : [`${name}: ${value || channelTableTexts.none}`],
	);
}
