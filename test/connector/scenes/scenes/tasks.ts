import type { Scene, Step } from "../step.ts";

const review = "review: Is the plan right? <<< One step.\\nAnother step.\nsay: carried out";
const suspended: Step[] = [
	{ says: `@Parley !task new title:Tidy ${review}` },
	{ shows: ["**Tidy**", "⏸️ Waiting for your answer"], times: 1 },
	{ shows: ["📋 **Plan**", "One step.\nAnother step."], in: "Tidy" },
	{ shows: ["⏸️ **Waiting for your answer**: Is the plan right?", "[Approve] [Revise]"], in: "Tidy" },
	{ notified: ["Mia"] },
];

export const tasks: readonly Scene[] = [
	{
		name: "a task has a card with its progress, and a thread with its result",
		steps: [
			{ commands: "/task new", with: { text: "say: all tidy", title: "Tidy up" } },
			{ answered: "Task **Tidy up** is queued. Its card shows the progress" },
			{ shows: ["**Tidy up**", "✅ Done", "thread: Tidy up"], times: 1 },
			{ shows: ["✅ **Done**", "[offline] all tidy", "[Open the card"], in: "Tidy up", times: 1 },
			{ hides: "is done" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "a message in the thread of a finished task starts a run with the task",
		steps: [
			{ commands: "/task new", with: { text: "say: all tidy", title: "Tidy up" } },
			{ shows: ["✅ **Done**", "[offline] all tidy"], in: "Tidy up", times: 1 },
			{ says: "say: and the rest", in: "Tidy up", by: "Max" },
			{ shows: ["[offline] and the rest", "[Good] [Bad] [Again]"], in: "Tidy up" },
			{ restarts: "both" },
			{ says: "say: and that", in: "Tidy up" },
			{ shows: "[offline] and that", in: "Tidy up" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "the steps of a task show on the card, and each completed one in the thread",
		steps: [
			{
				says: "@Parley !task new title:Build plan: > look | change\nplan: x look | > change\nplan: x look | x change",
			},
			{ shows: ["**Build**", "✅ Done", "▰▰ 2 of 2"] },
			{ shows: "☑️ Step 1 of 2 is done: look", in: "Build", times: 1 },
			{ shows: "☑️ Step 2 of 2 is done: change", in: "Build", times: 1 },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "the list of an answer is one card",
		steps: [
			{ says: "@Parley todo: > look | change\ntodo: x look | x change\nsay: all changed" },
			{ shows: ["Steps", "▰▰ 2 of 2", "✅ look", "✅ change"], times: 1 },
			{ shows: "all changed", times: 1 },
		],
	},
	{
		name: "a plan can be approved by its button",
		steps: [
			...suspended,
			{ clicks: "Approve", by: "Alex" },
			{ shows: ["▶️ **Answered**"], in: "Tidy" },
			{ shows: ["✅ **Done**", "carried out"], in: "Tidy" },
			{ shows: ["**Tidy**", "✅ Done"] },
			{ answeredNothing: true },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "a plan can be revised in a form",
		steps: [
			...suspended,
			{ clicks: "Revise", by: "Alex", fills: { text: "three steps" } },
			{ shows: ["✅ **Done**", "three steps"], in: "Tidy" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "a short yes in the thread approves",
		steps: [
			...suspended,
			{ says: "ok", in: "Tidy", by: "Alex" },
			{ shows: ["▶️ **Answered**"], in: "Tidy" },
			{ shows: "✅ **Done**", in: "Tidy" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "other words in the thread request changes",
		steps: [
			...suspended,
			{ says: "with views", in: "Tidy", by: "Alex" },
			{ shows: ["✅ **Done**", "with views"], in: "Tidy" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "a plan can be approved by command",
		steps: [
			...suspended,
			{ types: "/task reply", with: { text: "approve", id: "Ti" }, offers: ["Tidy"] },
			{ commands: "/task reply", with: { id: "Tidy", text: "approve" }, by: "Alex" },
			{ answered: "continues." },
			{ shows: "✅ **Done**", in: "Tidy" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "an answered plan is explained",
		steps: [
			...suspended,
			{
				together: [
					{ clicks: "Approve", by: "Alex" },
					{ clicks: "Approve", by: "Olga" },
				],
			},
			{ answered: /Already answered|had already ended/ },
			{ shows: "✅ **Done**", in: "Tidy", times: 1 },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "a task can be cancelled on its card, and repeated",
		steps: [
			...suspended,
			{ clicks: "Cancel" },
			{ shows: ["**Tidy**", "⏹️ Cancelled", "by @Mia", "[Retry]"] },
			{ shows: ["⏹️ **Closed**"], in: "Tidy" },
			{ shows: "⏹️ **Cancelled** by @Mia", in: "Tidy" },
			{ notified: [] },
			{ clicks: "Retry" },
			{ answered: "Started again as a new task with its own card" },
			{ shows: ["**Tidy**", "⏸️ Waiting for your answer"] },
			{ clicks: "Retry", by: "Max" },
			{ answered: "Already started again" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "the requester of a task is notified when another person cancels it",
		steps: [
			...suspended,
			{ clicks: "Cancel", by: "Alex" },
			{ shows: ["⏹️ **Cancelled** by @Alex", "[Open the card"], in: "Tidy", times: 1 },
			{ notified: ["Mia"] },
			{ clicks: "Retry", by: "Max" },
			{ answered: "Started again as a new task with its own card" },
			{ shows: ["**Tidy**", "⏸️ Waiting for your answer"] },
			{ commands: "/task list", by: "Max" },
			{ answered: "⏸️ Waiting for your answer" },
			{ notified: ["Max"] },
		],
	},
	{
		name: "stop in the thread cancels the task",
		steps: [...suspended, { says: "stop", in: "Tidy" }, { shows: "⏹️ **Cancelled** by @Mia", in: "Tidy" }],
	},
	{
		name: "a failed task shows the reason",
		steps: [
			{ commands: "/task new", with: { text: "fail: out of ideas", title: "Think" } },
			{ shows: ["**Think**", "❌ Failed", "[Retry]"] },
			{ shows: ["❌ Failed", "out of ideas"], in: "Think" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "the parts of a task show on its card",
		steps: [
			{
				says: "@Parley !task new title:Parts spawn: Count <<< say: counted\nspawn: Sort <<< say: sorted\nwait: all",
			},
			{ shows: ["**Parts**", "✅ Done", "- ✅ Done: Count", "- ✅ Done: Sort"] },
			{ shows: "✅ **Done**", in: "Parts", times: 1 },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "a call in a task requires approval in its thread",
		sandbox: true,
		steps: [
			{ says: "@Parley !task new title:Write run: echo hello > notes.txt" },
			{ shows: ["Approval", "the task wants to use `run_command`", "[Approve once]"], in: "Write" },
			{ clicks: "Approve once", by: "Alex", in: "Write" },
			{ shows: "by @Alex", in: "Write" },
			{ shows: "✅ **Done**", in: "Write" },
			{ file: "notes.txt", has: "hello\n" },
			{ hides: "Approval" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "tasks are listed, shown and cancelled by command",
		steps: [
			{ commands: "/task list" },
			{ answered: "This channel has no tasks yet" },
			...suspended,
			{ commands: "/task list" },
			{ answered: ["Tidy", "⏸️ Waiting for your answer"] },
			{ commands: "/task show", with: { id: "1" } },
			{ answered: ["Tidy", "[Approve] [Revise] [Cancel]"] },
			{ commands: "/task cancel", with: { id: "tidy", reason: "no need" } },
			{ answered: "Cancelled **Tidy** with all its subtasks" },
			{ shows: ["⏹️ **Cancelled** by @", ": no need"], in: "Tidy" },
		],
	},
	{
		name: "a task without a question explains that it accepts no further messages",
		steps: [
			{ says: "@Parley !task new title:Long long: 200 tokens at 2 per second" },
			{ shows: ["**Long**", "▶️ In progress", "thread: Long"] },
			{ says: "faster!", in: "Long" },
			{ shows: ["**Long** has no open question", "[Cancel]"], in: "Long" },
			{ clicks: "Cancel", in: "Long" },
			{ shows: ["**Long**", "⏹️ Cancelled"] },
		],
	},
	{
		name: "a task continues over a restart of both processes, and shows everything once",
		steps: [
			...suspended,
			{ restarts: "both" },
			{ clicks: "Approve", by: "Alex" },
			{ shows: "✅ **Done**", in: "Tidy", times: 1 },
			{ shows: "📋 **Plan**", in: "Tidy", times: 1 },
			{ shows: ["**Tidy**", "✅ Done"], times: 1 },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "after the loss of the database during a task, a new one is created, and no post is repeated",
		steps: [
			...suspended,
			{ losesDatabase: true },
			{ passes: 60_000 },
			{ clicks: "Approve", by: "Alex" },
			{ shows: "✅ **Done**", in: "Tidy", times: 1 },
			{ shows: "📋 **Plan**", in: "Tidy", times: 1 },
			{ shows: "Is the plan right?", in: "Tidy", times: 1 },
			{ shows: ["**Tidy**", "✅ Done"], times: 1 },
			{ notified: ["Mia"] },
		],
	},
];
