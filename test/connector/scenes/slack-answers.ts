import type { DiscordSite } from "./discord-site.ts";
import { approvals } from "./scenes/approvals.ts";
import { elicitations } from "./scenes/elicitations.ts";
import { late } from "./scenes/late.ts";
import { replyCards } from "./scenes/reply-cards.ts";
import type { Scene } from "./step.ts";

/** Names of the scenes that `npm test` also plays on Slack. */
const everydayNames = [
	"an approver approves a call once: it runs, and the card shows the approver and the time",
	"a denial can have a reason, which the agent gets",
	"another member cannot approve",
	"a call without an answer in time does not run",
	"a button still works after both processes were restarted",
	"a question is answered in a form",
	"one of several choices is selected from a list",
	"a password is entered on a page of the gateway, never in the chat",
	"three calls of one reply are one card before the first answer",
	"a restart of both processes between two answers loses no call and shows no card twice",
	"Approve all omits calls that always require approval, with a note",
	"Approve all shows calls that do not fit on the card first, and then approves them",
	"one of many calls is chosen in the details and denied",
	"a press after another person has approved shows the approver and the time",
];

const all: readonly Scene<DiscordSite>[] = [...approvals, ...elicitations, ...replyCards, ...late];

export const everydayAnswers = everydayNames.map((name) => {
	const scene = all.find((one) => one.name === name);
	if (!scene) throw new Error(`No scene has the name "${name}": correct it in slack-answers.ts.`);
	return scene;
});

/** Scenes that only `npm run test:ci` plays on Slack. */
export const otherAnswers = all.filter((scene) => !everydayAnswers.includes(scene));
