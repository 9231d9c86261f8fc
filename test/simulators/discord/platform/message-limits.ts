import { ButtonStyle, ComponentType, MessageFlags, MessageReferenceType } from "discord-api-types/v10";
import type { MessageFiles } from "./attachments.ts";
import type { MessageBody } from "./drafts.ts";
import { refusals } from "./refusal.ts";
import type { State } from "./state.ts";

/**
 * Limits that the contract omits, or states with larger values than apps may use.
 * https://discord.com/developers/docs/resources/message and
 * https://discord.com/developers/docs/components/reference
 */
const messageLimits = {
	content: 2000,
	embeds: 10,
	embedText: 6000,
	nonce: 25,
	rows: 5,
	buttonsPerRow: 5,
	label: 80,
	customId: 100,
	url: 512,
	options: 25,
	optionText: 100,
	placeholder: 150,
	componentsInAll: 40,
	componentText: 4000,
	requestBytes: 25 * 1024 * 1024,
} as const;

/** Returns the length in code points, which is Discord's unit. */
export function long(text: string): number {
	return [...text].length;
}

/** Throws for an invalid message. Records its faults as violations, except if the message is empty. */
export function checkMessage(state: State, body: MessageBody, { bytes, names }: MessageFiles): void {
	if (bytes > messageLimits.requestBytes) throw violated(state, refusals.requestTooLarge().message);
	const faults = [...faultsOfText(body), ...faultsOfComponents(body), ...faultsOfReferences(body, names)];
	if (faults.length > 0) throw violated(state, ...faults);
	const isForward = body.message_reference?.type === MessageReferenceType.Forward;
	const isEmpty = !body.content && !body.embeds?.length && !body.components?.length && names.length === 0;
	if (isEmpty && !isForward) throw refusals.emptyMessage();
}

export function violated(state: State, ...faults: readonly string[]) {
	state.violations.push(...faults);
	return refusals.invalidForm(faults);
}

function faultsOfText({ content, embeds, nonce, allowed_mentions: allowed }: MessageBody): string[] {
	const faults: string[] = [];
	if (long(content ?? "") > messageLimits.content) faults.push("content: Must be 2000 or fewer in length.");
	if ((embeds?.length ?? 0) > messageLimits.embeds) faults.push("embeds: Must be 10 or fewer in length.");
	const embedText = (embeds ?? []).flatMap((embed) => [
		...[embed.title, embed.description, embed.footer?.text, embed.author?.name],
		...(embed.fields ?? []).flatMap(({ name, value }) => [name, value]),
	]);
	if (long(embedText.join("")) > messageLimits.embedText) faults.push("embeds: exceed 6000 characters");
	if (long(String(nonce ?? "")) > messageLimits.nonce) faults.push("nonce: must be 25 or fewer in length");
	const both = (kind: "users" | "roles"): boolean => {
		const parse: readonly string[] = allowed?.parse ?? [];
		return parse.includes(kind) && (allowed?.[kind]?.length ?? 0) > 0;
	};
	if (both("users") || both("roles")) faults.push("allowed_mentions: parse and a list exclude each other");
	return faults;
}

interface AnyComponent {
	readonly type: number;
	readonly id?: number | null;
	readonly custom_id?: string;
	readonly style?: number;
	readonly label?: string;
	readonly url?: string;
	readonly emoji?: object;
	readonly placeholder?: string;
	readonly content?: string;
	readonly min_values?: number;
	readonly max_values?: number;
	readonly options?: readonly {
		readonly label: string;
		readonly value: string;
		readonly description?: string;
	}[];
	readonly components?: readonly AnyComponent[];
	readonly accessory?: AnyComponent;
	readonly media?: { readonly url: string };
	readonly file?: { readonly url: string };
	readonly items?: readonly { readonly media: { readonly url: string } }[];
}

function inside(component: AnyComponent): AnyComponent[] {
	const parts = [...(component.components ?? []), ...(component.accessory ? [component.accessory] : [])];
	return [component, ...parts.flatMap(inside)];
}

function faultsOfComponents({ components, flags, content, embeds }: MessageBody): string[] {
	// The cast is safe because every component has a type, and the code checks all other fields.
	const top = (components ?? []) as readonly AnyComponent[];
	const all = top.flatMap(inside);
	const ids = all.flatMap(({ custom_id: id }) => id ?? []);
	const faults = all.flatMap(faultsOfComponent);
	const numbers = all.flatMap(({ id }) => id || []);
	if (new Set(numbers).size < numbers.length) faults.push("components: Component id cannot be duplicated");
	if (new Set(ids).size < ids.length) faults.push("components: Component custom id cannot be duplicated");
	if ((flags ?? 0) & MessageFlags.IsComponentsV2) {
		if (content || embeds?.length) faults.push("components v2: neither content nor embeds");
		if (all.length > messageLimits.componentsInAll) faults.push("components: more than 40 in all");
		const text = all.map((component) => component.content ?? "").join("");
		if (long(text) > messageLimits.componentText) faults.push("components: more than 4000 characters in all");
		return faults;
	}
	if (top.length > messageLimits.rows) faults.push("components: Must be 5 or fewer in length.");
	if (top.some(({ type }) => type !== ComponentType.ActionRow))
		faults.push("components: only rows without v2");
	return faults;
}

/**
 * Returns a fault for each reference such as `attachment://chart.png` that names no file of the message:
 * https://discord.com/developers/docs/components/reference#file
 */
function faultsOfReferences({ components }: MessageBody, names: readonly string[]): string[] {
	const urls = ((components ?? []) as readonly AnyComponent[]).flatMap(inside).flatMap(mediaOf);
	const referred = urls.filter((url) => url.startsWith(reference)).map((url) => url.slice(reference.length));
	return referred
		.filter((name) => !names.includes(name))
		.map((name) => `components: there is no file ${name}`);
}

const reference = "attachment://";

function mediaOf({ type, media, file, items = [] }: AnyComponent): string[] {
	if (type === ComponentType.File && file && !file.url.startsWith(reference))
		return [`${reference}${file.url}`];
	return [media, file, ...items.map((item) => item.media)].flatMap((one) => one?.url ?? []);
}

function faultsOfComponent(component: AnyComponent): string[] {
	const { type } = component;
	if (type === ComponentType.ActionRow) return faultsOfRow(component);
	if (type === ComponentType.Button) return faultsOfButton(component);
	return component.options ? faultsOfChoice(component) : [];
}

function faultsOfRow({ components = [] }: AnyComponent): string[] {
	const buttons = components.filter(({ type }) => type === ComponentType.Button).length;
	const mixed = buttons > 0 && buttons < components.length;
	const many = components.length > (buttons > 0 ? messageLimits.buttonsPerRow : 1);
	return mixed || many || components.length === 0 ? ["row: 1 to 5 buttons or one choice"] : [];
}

function faultsOfButton({ custom_id: id, style, label, url, emoji }: AnyComponent): string[] {
	const faults: string[] = [];
	const link = style === ButtonStyle.Link;
	if (long(label ?? "") > messageLimits.label) faults.push("label: Must be 80 or fewer in length.");
	if (!label && !emoji) faults.push("button: a label or an emoji");
	if (link ? !url || id !== undefined : !id || url !== undefined)
		faults.push("button: a link or an id, as its style");
	return [...faults, ...faultsOfId(id)];
}

function faultsOfId(id: string | undefined): string[] {
	const fits = id === undefined || (id !== "" && long(id) <= messageLimits.customId);
	return fits ? [] : ["custom_id: Must be between 1 and 100 in length."];
}

function faultsOfChoice(choice: AnyComponent): string[] {
	const { options = [], min_values: least = 1, max_values: maximum = 1, placeholder = "" } = choice;
	const faults = faultsOfId(choice.custom_id);
	if (options.length === 0 || options.length > messageLimits.options)
		faults.push("options: between 1 and 25");
	if (least > options.length || maximum > options.length || least > maximum)
		faults.push("values: more than options");
	if (long(placeholder) > messageLimits.placeholder)
		faults.push("placeholder: Must be 150 or fewer in length.");
	const texts = options.flatMap(({ label, value, description = "" }) => [label, value, description]);
	if (texts.some((text) => long(text) > messageLimits.optionText))
		faults.push("option: 100 or fewer in length");
	if (new Set(options.map(({ value }) => value)).size < options.length)
		faults.push("options: values must be unique");
	return faults;
}
