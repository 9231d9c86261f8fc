import type { SkillPayload } from "@parley/protocol";
import { oneLine, plainLine } from "../conversation/vocabulary/plain.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import { welcomeTexts } from "../texts/welcome.ts";
import type { RoomContext } from "./handler-context.ts";

/** Maximum number of suggested requests in a welcome if the operator has set none. */
const maxPrompts = 3;
/** Maximum number of suggested requests that start a skill. The maximum leaves space for general requests. */
const maxSkills = 2;
const maxPrompt = 100;

export interface Welcome {
	/** Markdown lines about the work of the agent, the approvers, and the suggested requests. */
	readonly lines: readonly [work: string, approvers: string, prompts: string];
	/** The suggested requests as plain text. */
	readonly prompts: readonly string[];
	/** Whether the connector posts the welcome in channels and to people. */
	readonly posts: boolean;
	/** Whether the person has access. */
	readonly isKnown: boolean;
}

/** Returns the welcome for a person in a room. Returns undefined if the gateway has no setting for welcomes. */
export async function readWelcome(
	context: RoomContext,
	person: Person,
	room: Room,
): Promise<Welcome | undefined> {
	const { platform } = context;
	const { role = "stranger", place } = await context.whoami(person, room);
	if (place?.welcome === undefined) return undefined;
	const { welcome, mention } = place;
	const isKnown = role !== "stranger";
	const configured = configuredOf(welcome.prompts);
	const skills = isKnown && configured.length === 0 ? await skillsOf(context, person, room) : [];
	const usual = [...skills, ...welcomeTexts.usual].slice(0, maxPrompts);
	const prompts = configured.length === 0 ? usual : configured;
	const address = room.kind === "direct" ? "direct" : mention === "always" ? "always" : "mention";
	const approvers = welcome.approvers.map((id) => id.split(":").at(-1) ?? id);
	await platform.loadNames?.(approvers);
	const roles = (welcome.approver_roles ?? []).flatMap((id) => platform.role?.(id) ?? []);
	const people = [...approvers.map((id) => platform.person(id)), ...roles];
	return {
		lines: [
			welcomeTexts.work({
				address: welcomeTexts.address[address],
				help: platform.command("help", room),
			}),
			isKnown
				? welcomeTexts.approvers({ people })
				: welcomeTexts.access({ pair: platform.command("pair", room) }),
			welcomeTexts.prompts({ prompts: prompts.map((prompt) => plainLine(prompt, maxPrompt)) }),
		],
		prompts,
		posts: welcome.posts,
		isKnown,
	};
}

/** Maximum number of requests that a platform suggests to a person. */
const maxSuggestions = 4;

/**
 * Reads the requests that the platform suggests in the direct messages of a person. The operator's requests are
 * first, then skills. General requests follow if the operator has set no requests. The list is empty for a person
 * without access.
 */
export async function readSuggestions(
	context: RoomContext,
	person: Person,
	room: Room,
): Promise<readonly string[]> {
	const { role = "stranger", place } = await context.whoami(person, room);
	if (role === "stranger") return [];
	const configured = configuredOf(place?.welcome?.prompts ?? []);
	const skills = await skillsOf(context, person, room);
	const general = configured.length === 0 ? welcomeTexts.usual : [];
	return [...configured, ...skills, ...general].slice(0, maxSuggestions);
}

function configuredOf(prompts: readonly string[]): readonly string[] {
	return prompts.map((prompt) => oneLine(prompt, maxPrompt)).filter((prompt) => prompt !== "");
}

async function skillsOf(
	{ gateway, onBehalf }: RoomContext,
	person: Person,
	room: Room,
): Promise<readonly string[]> {
	// Without a session, the gateway lists only skills of the data directory.
	const { skills } = await gateway.request("list_skills", { session_id: null, ...onBehalf(person, room) });
	return skills
		.filter(isSuggested)
		.slice(0, maxSkills)
		.map(({ name }) => welcomeTexts.skill({ name: oneLine(name, maxPrompt) }));
}

function isSuggested({ user_invocable, model_invocable, trust }: SkillPayload): boolean {
	// The agent starts the skill when it gets the request, so `model_invocable` is required.
	return user_invocable && model_invocable && (trust === "operator" || trust === "trusted");
}
