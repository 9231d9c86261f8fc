import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Scene } from "../step.ts";
import { deletes } from "./deleted.ts";
import { goldenLists } from "./golden-lists.ts";

const deploy = `---
description: Deploys the project
steps:
  - { id: plan, title: Planning, prompt: "say: planned $0" }
  - { id: build, title: Building, needs: [plan], prompt: "long: 10 tokens at 1 per second\\nsay: built v2", criteria: "contains: v2" }
  - { id: test, title: Testing, needs: [plan], prompt: "long: 10 tokens at 1 per second\\nsay: tested" }
  - { id: ship, title: Shipping, needs: [build, test], prompt: "say: shipped to **$0**" }
---
Deploys a project.
`;

/** Scenes whose final views are stored in `golden/`. The keys are the file names. */
export const golden: Readonly<Record<string, Scene>> = {
	...goldenLists,
	"question-and-answer": {
		name: "a question and its answer",
		steps: [
			{ says: "@Parley" },
			{ shows: "Hello!" },
			{
				says: "@Parley say: The sky is **blue**, because of `Rayleigh`.\nsay: - short waves\nsay: - long way",
			},
			{ shows: "[Good]" },
			{ clicks: "Good" },
			{ answered: "Thank you" },
		],
	},
	"approval-approved": {
		name: "an approved call",
		steps: [
			{ says: "@Parley write: notes.txt <<< one\\ntwo\\n" },
			{ clicks: "Approve once" },
			{ answered: "Not accepted" },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "[Good]" },
		],
	},
	"approval-denied": {
		name: "a call denied with a reason",
		steps: [
			{ says: "@Parley write: notes.txt <<< hello" },
			{ clicks: "Deny", by: "Alex", fills: { reason: "not in this folder" } },
			{ shows: "[Good]" },
		],
	},
	"approval-of-three-calls": {
		name: "three calls of one reply, of which one is always required",
		steps: [
			{ says: "@Parley write: notes.txt <<< one\n& write: .env <<< KEY=1\n& write: more.txt <<< two" },
			{ shows: "[Approve all]" },
			{ clicks: "Details", by: "Alex" },
			{ answered: "[Approve 3]" },
			{ clicks: "Approve 3", by: "Alex" },
			{ shows: "by @Alex" },
			{ clicks: "Approve 1", by: "Alex" },
			{ clicks: "Deny 2", by: "Olga", fills: { reason: "no keys" } },
			{ shows: ["by @Alex", "by @Olga"] },
		],
	},
	"approval-of-many-calls": {
		name: "more calls of one reply than a card shows",
		steps: [
			{
				says: `@Parley ${["a", "b", "c", "d", "e", "f"].map((name) => `write: ${name}.txt <<< ${name}`).join("\n& ")}`,
			},
			{ shows: "… 2 more in Details" },
			{ clicks: "Approve all", by: "Alex" },
			{ answered: "Choose a call" },
			{ chooses: ["6. write_file · write f.txt"], by: "Alex" },
			{ answered: "[Approve 6]" },
		],
	},
	"growing-answer": {
		name: "answers that grow, with tool calls",
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: "@Parley read: notes.txt\nlong: 10 tokens at 1 per second" },
			{ shows: ["t2", "[Stop]"] },
			{ passes: 20_000 },
			{ shows: "[Good]" },
			{ says: "schedules: all\nlong: 10 tokens at 1 per second", in: "dm" },
			{ shows: ["t2", "[Stop]"], in: "dm" },
			{ passes: 20_000 },
			{ shows: "[Good]", in: "dm" },
		],
	},
	welcome: {
		name: "the first request in a channel",
		welcome: true,
		steps: [{ says: "@Parley say: good morning" }, { shows: "Hello!", to: "Mia" }, { shows: "[Good]" }],
	},
	"queued-message": {
		name: "a message that waits, in a channel that offers to add it to the running request",
		place: { busy: "offer" },
		steps: [
			{ says: "@Parley write: notes.txt <<< hello", as: "root" },
			{ shows: "[Approve once]" },
			{ replies: "@Parley say: and a second line", to: "root", by: "Max" },
			{ shows: "[Add to running request]" },
		],
	},
	"approval-by-two-people": {
		name: "a call that needs two approvals",
		steps: [
			{ says: "@Parley write: prod/notes.txt <<< hello" },
			{ shows: "0 of 2 approvals" },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "1 of 2 approvals" },
			{ clicks: "Approve once", by: "Olga" },
			{ shows: "by @Alex and @Olga" },
			{ shows: "[Good]" },
		],
	},
	"list-of-approvals": {
		name: "a list of the open approvals",
		steps: [
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: "[Approve once]" },
			{ commands: "/approvals", by: "Alex" },
			{ answered: "path: notes.txt" },
		],
	},
	"edited-message": {
		name: "a message that is edited after its answer",
		steps: [
			{ says: "@Parley say: tee", as: "m" },
			{ shows: "[offline] tee" },
			{ edits: "m", into: "@Parley say: tea" },
			{ shows: "[Answer the edited message]" },
		],
	},
	password: {
		name: "a question for a password",
		publicUrl: "https://parley.example.org",
		steps: [{ says: "@Parley secret: API key" }, { shows: "[Enter it on a page]" }],
	},
	"question-with-choices": {
		name: "a question with choices",
		steps: [
			// The question of `/ask` is a post in the channel, so a person can reply to it on each platform.
			{ commands: "/ask", with: { text: "choose: tea | coffee | neither of both" } },
			{ replies: "milk", to: "<Choose one" },
			{ chooses: ["tea"] },
			{ shows: ["ask_user returned", "tea"] },
		],
	},
	"task-with-plan": {
		name: "a task whose plan is reviewed",
		steps: [
			{
				says: "@Parley !task new title:Tidy review: Is the plan right? <<< 1. Look\\n2. Tidy\nsay: all is tidy",
			},
			{ shows: "[Approve] [Revise]", in: "Tidy" },
			{ notified: ["Mia"] },
			{ says: "leave the attic out", in: "Tidy" },
			{ shows: "✅ **Done**", in: "Tidy" },
			{ shows: ["**Tidy**", "✅ Done"], times: 1 },
			{ notified: ["Mia"] },
		],
	},
	"failed-task": {
		name: "a task that fails",
		steps: [
			{ says: "@Parley !task new title:Think fail: out of ideas" },
			{ shows: ["**Think**", "❌ Failed", "[Retry]"] },
			{ notified: ["Mia"] },
		],
	},
	workflow: {
		name: "a skill with steps that a message starts",
		steps: [
			{
				what: "the operator trusts a skill of the working directory",
				async does({ sceneGateway, operator, site: { directory } }) {
					await mkdir(join(directory, ".parley/skills"), { recursive: true });
					await writeFile(join(directory, ".parley/skills/deploy.md"), deploy);
					await sceneGateway.through(operator.request("trust_skills", { directory }));
				},
			},
			{ says: "@Parley /deploy staging" },
			{ shows: ["1 of 4", "▶️ Building", "▶️ Testing"] },
			{ shows: "[Good]" },
		],
	},
	"trusted-channel": {
		name: "a channel that is trusted for an hour",
		sandbox: true,
		steps: [
			{ commands: "/trust on", with: { reason: "release", minutes: 60 }, by: "Olga" },
			{ clicks: "Approve", by: "Olga" },
			{ shows: "[End trust]" },
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: "[Good]" },
			{ clicks: "End trust", by: "Olga" },
			{ shows: "Tools require approval here again" },
		],
	},
	"busy-channel": {
		name: "two people who ask at the same time",
		steps: [
			{ says: "@Parley long: 10 tokens at 1 per second" },
			{ shows: "[offline] t1" },
			{ says: "@Parley say: for Max", by: "Max" },
			{ shows: "Your message is next" },
			{ passes: 20_000 },
			{ shows: "[offline] for Max" },
		],
	},
	"long-answer": {
		name: "an answer that is longer than a post",
		steps: [
			{
				file: "list.txt",
				gets: Array.from({ length: 60 }, (_, index) => `Line ${index} is a sentence of some words.`).join(
					"\n",
				),
			},
			{ says: "@Parley read: list.txt" },
			{ shows: "[Good]" },
		],
	},
	"answer-that-is-too-long": {
		name: "an answer that is longer than any post",
		steps: [
			{
				file: "list.txt",
				gets: Array.from(
					{ length: 60 },
					(_, index) => `Line ${index}: ${"some words and ".repeat(16)}an end.`,
				).join("\n"),
			},
			{ says: "@Parley read: list.txt" },
			{ shows: "[Good]" },
		],
	},
	stranger: {
		name: "a person without access",
		steps: [
			{ says: "@Parley say: hello", by: "Sam" },
			{ shows: "You do not have access yet", to: "Sam" },
			{ commands: "/help", by: "Mia" },
			{ answered: ["task new", "whoami"] },
		],
	},
	"details-of-a-call": {
		name: "the details of an approval, which only the person who pressed sees",
		steps: [
			{ says: "@Parley write: notes.txt <<< hello" },
			{ clicks: "Details" },
			{ answered: "Risk: normal" },
		],
	},
	"form-for-an-edit": {
		name: "the form in which an approver edits a call",
		steps: [
			{ says: "@Parley write: notes.txt <<< hello" },
			{ clicks: "Edit and approve", by: "Alex" },
			{ form: ["Edit and approve", "path", "content"] },
		],
	},
	"edited-call": {
		name: "a call that an approver has edited",
		steps: [
			{ says: "@Parley write: notes.txt <<< hello" },
			{ clicks: "Edit and approve", by: "Alex", fills: { content: "good evening" } },
			{ shows: "with changed arguments, by @Alex" },
			{ shows: "[Good]" },
		],
	},
	"notices-to-approvers": {
		name: "a notice, a reminder and an escalation to approvers",
		notices: {
			groups: [
				{ people: ["Alex"], by: ["mention"] },
				{ people: ["Olga"], by: ["mention"] },
			],
			// The notices are early, so the remaining time that each notice shows is still 24 hours.
			remindMinutes: 10,
			escalateMinutes: 10,
		},
		steps: [
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: "is waiting for your decision" },
			{ notified: ["Alex"] },
			{ passes: 11 * 60_000 },
			{ shows: "**Reminder:**" },
			{ notified: ["Alex"] },
			{ passes: 11 * 60_000 },
			{ shows: "has no decision yet" },
			{ notified: ["Olga"] },
		],
	},
	"stopped-answer": {
		name: "a request that a person stops",
		steps: [
			{ says: "@Parley write: notes.txt <<< hello", as: "m" },
			{ shows: "[Approve once]" },
			{ reacts: "❌", on: "m" },
			{ shows: "Stopped by" },
			{ hides: "[Approve once]" },
		],
	},
	"failed-answer": {
		name: "a request whose model fails",
		errors: [/out of ideas/u],
		steps: [{ says: "@Parley fail: out of ideas" }, { shows: "Your request failed" }],
	},
	schedule: {
		name: "a schedule that has answered",
		steps: [
			{
				...{ commands: "/schedule add" },
				with: { text: "say: all is well", when: "every hour", title: "Report" },
			},
			{ answered: "Scheduled:" },
			{ passes: 3_600_000 },
			{ shows: "⏰ Report", times: 1 },
		],
	},
	"read-messages": {
		name: "messages that were read with a request",
		steps: [
			{ says: "lunch at noon?", by: "Max" },
			{ says: "@Parley say: yes" },
			{ shows: "[Good]" },
			{ commands: "/why" },
			{ answered: "I also read 1 message: Max" },
		],
	},
	"deleted-conversation": {
		name: "a conversation that another client deletes",
		steps: [{ says: "@Parley say: hello" }, { shows: "[Good]" }, deletes, { shows: "was deleted" }],
	},
};
