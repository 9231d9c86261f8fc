import type { DiscordSite } from "./discord-site.ts";
import { approvals } from "./scenes/approvals.ts";
import { elicitations } from "./scenes/elicitations.ts";
import { late } from "./scenes/late.ts";
import { replyCards } from "./scenes/reply-cards.ts";
import type { Scene } from "./step.ts";

/** Scenes about answers to cards and questions that `npm test` plays in Slack, one for each behaviour. */
const everydayNames = [
	"an approver allows it once: it is done, and the card says who and when",
	"who denies it can say why, and the agent hears it",
	"another member cannot allow it",
	"what nobody answers in time is not done",
	"a button still works after both processes were restarted",
	"a question is answered in a form",
	"one of several is chosen from a list",
	"a secret is entered on a page of the gateway, never in the chat",
	"three calls of one reply are one card before the first answer",
	"a restart of both processes between two answers loses no call and shows no card twice",
	"Approve all leaves out the call that is always required, and says so",
	"calls for which a card has no room stand on a second card in Slack",
	"a press after somebody else has approved tells who did, and when",
];

const all: readonly Scene<DiscordSite>[] = [...approvals, ...elicitations, ...replyCards, ...late];

export const everydayAnswers = everydayNames.map((name) => {
	const scene = all.find((one) => one.name === name);
	if (!scene) throw new Error(`No scene has the name "${name}": correct it in slack-answers.ts.`);
	return scene;
});

/** The other scenes, which `npm test` plays only in Discord. */
export const otherAnswers = all.filter((scene) => !everydayAnswers.includes(scene));
