import { defined } from "@parley/base";
import type { NoticePayload } from "@parley/protocol";
import type { Control, NoticeTarget } from "../../platform/posting.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { noticeTexts } from "../../texts/notices.ts";
import { plainColumns } from "../vocabulary/plain-columns.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { maxTool } from "./call-row.ts";
import { inlineCode } from "./markdown.ts";
import { cardOf, type OpenQuestion } from "./question.ts";
import { cardTarget } from "./question-card.ts";
import { cardColumns, whatOf } from "./short-card.ts";

interface Noticing {
	readonly notify: NoticePayload;
	readonly kind: "waiting" | "reminder" | "escalated";
	/** Number of earlier notices about the approval. */
	readonly count: number;
	/** Number of approvals that were requested together. */
	readonly calls: number;
}

/**
 * Returns the posts that notify approvers. These posts are never edited. The first way in `notify.by` determines
 * how many posts there are.
 * - `direct`: one for each person, and one for the roles if there are any.
 * - `channel`: one for each channel.
 * - Other ways, or no people or channels: one post.
 */
export function noticesOf(
	question: OpenQuestion,
	{ notify, kind, count, calls }: Noticing,
	scene: Scene,
): ShowOperation[] {
	const { token, expiresAt, task } = question;
	const { by } = notify;
	const [first] = by;
	const people = notify.people.map(lastPart);
	const channels = (notify.channels ?? []).map(lastPart);
	const targets = targetsOf({
		people,
		channels,
		ways: [...by],
		...defined({ roles: notify.roles && [...notify.roles] }),
	});
	const { marker: _, state: __, ...place } = cardTarget(question, scene, task);
	const link = scene.link === undefined ? undefined : `[${noticeTexts.here}](${scene.link})`;
	const expires = expiresAt === undefined ? undefined : scene.platform.moment(expiresAt, scene.at);
	const tool = inlineCode((question.call?.tool ?? "").slice(0, maxTool));
	// Other channels and direct messages do not show the call, because their readers may have no access to it.
	const what = by.every(isInRoomOfCall) ? plainColumns(whatOf(question.label.text), cardColumns) : undefined;
	const text = noticeTexts[kind]({ tool, what, link, expires, calls });
	return targets.map((target, index) => ({
		...place,
		card: `${cardOf(token)}:notice:${count}:${index}`,
		text,
		notifies: target,
		controls: first === "channel" ? [[detailsButton(question, scene)]] : [],
	}));
}

function isInRoomOfCall(way: NoticeTarget["ways"][number]): boolean {
	return way === "mention" || way === "reply";
}

function targetsOf({ roles, ...group }: NoticeTarget): NoticeTarget[] {
	const { people, channels, ways } = group;
	const target = { ...group, ...defined({ roles }) };
	const [first, ...next] = ways;
	if (first === "channel" && channels.length > 0) {
		return channels.map((channel) => ({ ...target, channels: [channel] }));
	}
	if (first !== "direct" || people.length === 0) return [target];
	const each = people.map((person) => ({ ...group, people: [person] }));
	// Direct messages reach only people, so the target of the roles begins with the next way.
	if (!roles || roles.length === 0) return each;
	// Without a next way, the target reaches no role, and the operator gets a report.
	return [...each, { ...target, people: [], ways: next.length > 0 ? next : ways }];
}

/** Returns a button that shows the call in private to a person who may answer the approval. */
function detailsButton({ token }: OpenQuestion, { controls, session }: Scene): Control {
	const id = controls.write({ kind: "listed-details", session, subject: token });
	return { type: "button", id, label: approvalTexts.buttons.details, style: "secondary" };
}

function lastPart(id: string): string {
	return id.slice(id.lastIndexOf(":") + 1);
}
