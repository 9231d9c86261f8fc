import { isPart, type Part } from "../../simulators/slack/blocks/block-text.ts";
import { SentInteraction } from "../../simulators/slack/people/sent-interaction.ts";
import { isSeen, show } from "../../simulators/slack/people/shown.ts";
import type { MessageRecord } from "../../simulators/slack/platform/records.ts";
import { has, readable } from "../scenes/shown-posts.ts";
import type { SlackSite } from "../scenes/slack-site.ts";
import { drawBlocks, drawMrkdwn } from "./draw-blocks.ts";
import { html, lines, type Markup } from "./markup.ts";
import { type Draw, drawFile, drawForm, drawPost, drawReactions } from "./post.ts";

export const drawSlack: Draw<SlackSite> = {
	channel(site) {
		const { messages } = site.general.channel.record;
		const seen = messages.filter((message) => isSeen(message, site.people.Mia));
		const roots = seen.filter(({ threadTs, broadcast }) => threadTs === undefined || broadcast);
		return lines(
			roots.map((root) => {
				const replies = seen.filter(({ threadTs }) => threadTs === root.ts);
				return drawMessage(site, root, threadOf(site, replies));
			}),
		);
	},

	moment(site, sight) {
		const { state } = site.simulator;
		const messages = [...state.channels.values()].flatMap((channel) => channel.messages);
		for (const message of messages.filter(({ author }) => author.isBot)) {
			const matchingState = message.states
				.map(({ text, blocks }) => ({ ...message, text, blocks }))
				.find((version) => has(readable(site.written(show(state, version))), sight));
			if (matchingState) return drawMessage(site, matchingState);
		}
		return undefined;
	},

	home({ people, simulator: { state } }) {
		const blocks: readonly unknown[] = state.homes.get(people.Mia.id)?.view.blocks ?? [];
		const drawn = drawBlocks(state, blocks.filter(isPart));
		return drawn.length === 0 ? undefined : html`<div class="home">${lines(drawn)}</div>`;
	},

	form({ simulator: { state } }) {
		const forms = state.interactions.map((record) => new SentInteraction(state, record).form);
		const form = forms.findLast((one) => one !== undefined);
		return form && drawForm(form.title, form.fields);
	},
};

function threadOf(site: SlackSite, replies: readonly MessageRecord[]): Markup | undefined {
	if (replies.length === 0) return undefined;
	const title = replies.length === 1 ? "1 reply" : `${replies.length} replies`;
	return html`<div class="thread"><div class="title link">${title}</div>
${lines(replies.map((reply) => drawMessage(site, reply)))}
</div>`;
}

function drawMessage(site: SlackSite, message: MessageRecord, thread?: Markup): Markup {
	const { state } = site.simulator;
	const shown = show(state, message);
	const blocks = (message.blocks as readonly unknown[]).filter((block): block is Part => isPart(block));
	const body = blocks.length === 0 ? [drawMrkdwn(state, message.text)] : drawBlocks(state, blocks);
	const parts = [...body, ...shown.attachments.map(drawFile), drawReactions(shown.reactions)];
	return drawPost({
		...{ author: shown.author, isApp: message.author.isBot, thread },
		above: shown.ephemeral ? html`<div class="note">👁 Only visible to you</div>` : undefined,
		body: lines(parts.filter((part) => part !== undefined)),
	});
}
