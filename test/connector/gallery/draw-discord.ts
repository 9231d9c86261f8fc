import { ButtonStyle, ComponentType, MessageType } from "discord-api-types/v10";
import { readAloud } from "../../simulators/discord/people/read-aloud.ts";
import { SentInteraction } from "../../simulators/discord/people/sent-interaction.ts";
import { isSeen, type SeenComponent, show } from "../../simulators/discord/people/shown.ts";
import type { ChannelRecord, MessageRecord } from "../../simulators/discord/platform/records.ts";
import type { DiscordSite } from "../scenes/discord-site.ts";
import { normalised } from "../scenes/normalised.ts";
import { has, readable } from "../scenes/shown-posts.ts";
import { controlOf } from "./control-of.ts";
import { drawMarkdown } from "./draw-markdown.ts";
import { html, lines, type Markup } from "./markup.ts";
import { type Draw, drawFile, drawForm, drawMenu, drawPost, drawReactions } from "./post.ts";

type Component = SeenComponent & { readonly content?: string };

export const drawDiscord: Draw<DiscordSite> = {
	channel: (site) => drawChannel(site, site.general.record),

	moment(site, sight) {
		const { state } = site.simulator;
		const messages = [...state.channels.values()].flatMap((channel) => channel.messages);
		for (const message of messages.filter(({ author }) => author.bot)) {
			const matchingState = message.states
				.map(({ content, embeds, components }) => ({ ...message, content, embeds, components }))
				.find((version) => has(readable(site.written(show(state, version))), sight));
			if (matchingState) return drawMessage(site, matchingState);
		}
		return undefined;
	},

	home: () => undefined,

	form({ simulator: { state } }) {
		const forms = [...state.interactions.values()].map((record) => new SentInteraction(state, record).form);
		const form = forms.findLast((one) => one !== undefined);
		return form && drawForm(form.title, form.fields);
	},
};

function drawChannel(site: DiscordSite, { messages }: ChannelRecord): Markup {
	const seen = messages.filter((message) => isSeen(message, site.people.Mia));
	return lines(seen.map((message) => drawMessage(site, message, threadOf(site, message))));
}

function drawMessage(site: DiscordSite, message: MessageRecord, thread?: Markup): Markup {
	const shown = show(site.simulator.state, message);
	const components = message.components as readonly Component[];
	const text = message.content === "" ? undefined : drawMarkdown(read(site, message, message.content));
	const controls = components.map((component) => drawComponent(site, message, component));
	const parts = [text, ...shown.attachments.map(drawFile), ...controls, drawReactions(shown.reactions)];
	return drawPost({
		...{ author: shown.author, isApp: message.author.bot, thread },
		above: aboveOf(message, shown.repliesTo?.author),
		body: lines(parts.filter((part) => part !== undefined)),
		below: shown.ephemeral
			? html`<div class="note">👁 Only you can see this · <span class="link">Dismiss message</span></div>`
			: undefined,
	});
}

function threadOf(site: DiscordSite, { id, channel }: MessageRecord): Markup | undefined {
	const thread = channel.thread ? undefined : site.simulator.state.channels.get(id);
	if (!thread) return undefined;
	return html`<div class="thread"><div class="title">🧵 ${thread.name}</div>
${drawChannel(site, thread)}
</div>`;
}

function aboveOf({ type, interaction }: MessageRecord, replied: string | undefined): Markup | undefined {
	if (type === MessageType.ChatInputCommand && interaction) {
		const { name }: { readonly name?: unknown } = interaction.data;
		return html`<div class="above">╭ <b>${interaction.user.name}</b> used <span class="mention">/${String(name)}</span></div>`;
	}
	return replied === undefined ? undefined : html`<div class="above">╭ <b>@${replied}</b></div>`;
}

function drawComponent(site: DiscordSite, message: MessageRecord, component: Component): Markup {
	const inside = (component.components ?? []).map((one) => drawComponent(site, message, one));
	switch (component.type) {
		case ComponentType.Container: {
			const { accent_color: accent } = component;
			const color = `#${(accent ?? 0x3f4147).toString(16).padStart(6, "0")}`;
			return html`<div class="card" data-accent="${accent ?? ""}" style="border-left-color: ${color}">
${lines(inside)}
</div>`;
		}
		case ComponentType.TextDisplay:
			return drawMarkdown(read(site, message, component.content ?? ""));
		case ComponentType.ActionRow:
			return html`<div class="row">${inside}</div>`;
		case ComponentType.Button: {
			const { style = ButtonStyle.Secondary, label = "", emoji, custom_id: id, url } = component;
			const face = emoji?.name ? `${emoji.name} ` : "";
			const name = ButtonStyle[style]?.toLowerCase() ?? "secondary";
			return html`<span class="button ${name}" data-control="${controlOf(id)}">${face}${label}${url ? " ↗" : ""}</span>`;
		}
		case ComponentType.StringSelect: {
			const { placeholder = "", options = [], custom_id: id } = component;
			const listed = options.map(({ label, default: chosen = false }) => ({ label, isChosen: chosen }));
			return drawMenu(placeholder, { control: controlOf(id), options: listed });
		}
		case ComponentType.Separator:
			return html`<hr>`;
		default:
			throw new Error(`the gallery does not draw components of type ${component.type}: add it here`);
	}
}

function read({ simulator }: DiscordSite, { channel }: MessageRecord, text: string): string {
	return normalised(readAloud(simulator.state, channel, text));
}
