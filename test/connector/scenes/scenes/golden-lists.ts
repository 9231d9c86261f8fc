import type { SlackSite } from "../slack-site.ts";
import type { Scene, Step } from "../step.ts";

const hasAnswer: Step = { shows: "[Good]" };

export const goldenLists: Readonly<Record<string, Scene>> = {
	lists: {
		name: "lists of conversations, tasks, schedules and notes",
		steps: [
			{ says: "@Parley say: hello" },
			hasAnswer,
			{ commands: "/session rename", with: { title: "Greetings" } },
			{ answered: "Renamed to **Greetings**" },
			{ commands: "/session list" },
			{ answered: ["**Greetings**", "2 messages"] },
			{ commands: "/task new", with: { text: "say: all is tidy", title: "Tidy" } },
			{ shows: ["**Tidy**", "✅ Done"] },
			{ notified: ["Mia"] },
			{ commands: "/task list" },
			{ answered: "Tidy" },
			{ commands: "/schedule add", with: { text: "say: hi", when: "every day at 9:00", title: "Morning" } },
			{ answered: "Scheduled:" },
			{ shows: "⏰ **Morning** is scheduled" },
			{ commands: "/schedule list" },
			{ answered: "**Morning**" },
			{ commands: "/memory" },
			{ answered: "I have no notes here." },
		],
	},
	"state-of-a-conversation": {
		name: "the state of a conversation, and a compaction of it",
		steps: [
			{ says: `@Parley say: ${"word ".repeat(300).trim()}` },
			hasAnswer,
			{ commands: "/session compact" },
			{ shows: "I now work from a summary of the conversation" },
			{ commands: "/session compact" },
			{ shows: "There is nothing to summarise" },
			{ commands: "/session info" },
			{ answered: "messages" },
			{ commands: "/usage" },
			{ answered: "This conversation:" },
			{ commands: "/model" },
			{ answered: "offline" },
			{ commands: "/whoami" },
			{ answered: "member" },
			{ commands: "/session commands" },
			{ answered: "background" },
		],
	},
	"copy-of-a-conversation": {
		name: "a conversation that continues as a copy, and as a file",
		steps: [
			{ says: "@Parley say: hello" },
			hasAnswer,
			{ commands: "/session rename", with: { title: "Greetings" } },
			{ answered: "Renamed to **Greetings**" },
			{ commands: "/session fork" },
			{ answered: "The copy continues in" },
			{ shows: "**Greetings** continues here as a copy" },
			{ commands: "/session export" },
			{ shows: "This conversation as a file", to: "Mia" },
		],
	},
	home: {
		name: "the home page",
		only: "slack",
		steps: [
			{ commands: "/schedule add", with: { text: "say: hi", when: "every day at 9:00", title: "Morning" } },
			{ answered: "Morning" },
			{ shows: "⏰ **Morning** is scheduled" },
			{ says: "@Parley choose: tea | coffee" },
			{ shows: "<Choose one" },
			{
				what: "Mia opens the home page",
				// The cast is safe because `only` restricts this scene to Slack.
				does: ({ site }) => (site as unknown as SlackSite).people.Mia.person.opensHome(),
			},
			{ passes: 5000 },
			{ hides: "⏳ ask_user" },
		],
	},
};
