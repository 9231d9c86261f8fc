import { definedItems } from "@parley/base";
import type { OutboxRow, Posting, Receipt } from "@parley/connector";
import type { ActionsBlock, ContextActionsBlock, SectionBlock } from "@slack/types";
import { bodyBlocks } from "../blocks/body-blocks.ts";
import { plainControlBlocks } from "../blocks/controls.ts";
import { writeHomeMetadata } from "../vocabulary/home-metadata.ts";
import { limits } from "../vocabulary/limits.ts";
import type { Caller } from "./caller.ts";

type Home = Extract<Posting, { type: "home" }>;
type HomeBlock = SectionBlock | ActionsBlock | ContextActionsBlock | { readonly type: "divider" };

/** Publishes a person's home page: https://docs.slack.dev/reference/methods/views.publish */
export async function publishHome(caller: Caller, row: OutboxRow, home: Home): Promise<Receipt> {
	const view = {
		type: "home",
		private_metadata: writeHomeMetadata({ channel: home.room }),
		blocks: homeBlocks(home),
	};
	const args = { user_id: home.person, view };
	const { limits: empty } = await caller.ask({ method: "views.publish", lane: row.lane }, args);
	return { remote: home.person, limits: empty };
}

/** Returns sections of text with their buttons, and a line between two sections. */
export function homeBlocks({ sections }: Home): readonly HomeBlock[] {
	const blocks = sections.flatMap(({ body, controls }, index): HomeBlock[] => {
		const text = bodyBlocks(body).text.slice(0, limits.textObject);
		const section = { type: "section", text: { type: "mrkdwn", text }, expand: true } as const;
		return definedItems([
			index === 0 ? undefined : { type: "divider" as const },
			section,
			...plainControlBlocks(controls),
		]);
	});
	return blocks.slice(0, limits.blocksOfView);
}
