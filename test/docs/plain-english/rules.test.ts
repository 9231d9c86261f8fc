import { expect, test } from "vitest";
import { sentencesOf } from "./prose.ts";
import { rules } from "./rules.ts";

function broken(text: string, isFunctionDoc = false): string[] {
	const sentences = sentencesOf({ kind: "comments", text, line: 1, isFunctionDoc });
	return rules.filter(({ breaks }) => sentences.some(breaks)).map(({ name }) => name);
}

test.each([
	"Returns the title, or undefined for an unknown session.",
	"Immediately stops all runs.",
	"Whether the session has ended.",
	"Called after each restored file.",
	"Names the owner of the lock.",
])("the doc comment of a function may start so: %s", (text) => {
	expect(broken(text, true)).toEqual([]);
});

test.each([
	"Undefined for an unknown session.",
	"A table becomes a list.",
	"Rows of the people with access.",
	"Names of the connected platforms.",
	"This command requires a terminal.",
	"`id` is the id of the session.",
])("the doc comment of a function may not start so: %s", (text) => {
	expect(broken(text, true)).toEqual(["function"]);
});

test.each([
	["start", "What the model saw before the run."],
	["start", "Whose setting this is."],
	["start", "where the gateway was started"],
	["start", "Of the others it keeps one."],
	["start", "So many requests are sent at once."],
	["start", "Nothing is stored in the session."],
	["start", "Told of every transaction that commits."],
	["start", "The client waits; what it sends is stored."],
	["where", "Returns undefined where there is no session."],
	["where", "Where it has a flag, the flag wins."],
	["where", "The default applies, where none is set."],
	["where", "Throws where the id is unknown."],
	["person", "An approval that somebody gave."],
	["person", "Whoever presses the button, approves it."],
	["person", "By default, nobody has access."],
	["verb", "The event tells of a new session."],
	["verb", "The client is told the result."],
	["verb", "The sum comes to five dollars."],
	["verb", "The trust holds until tomorrow."],
	["verb", "The key stands in the file."],
	["verb", "The file lies in the directory."],
	["verb", "The session goes on after a restart."],
	["verb", "A session that is not there."],
	["verb", "The operator can mend that."],
	["is-no", "The answer is no approval of the call."],
	["no-longer", "The channel is trusted no more."],
	["no-longer", "A removed listener receives no more events."],
	["no-longer", "The session does not exist any more."],
	["phrase", "It prints the key and nothing more."],
	["phrase", "The counter starts at zero anew."],
	["long", `The gateway ${"sends each event to each client and ".repeat(5)}stops.`],
])("%s is reported: %s", (rule, text) => {
	expect(broken(text)).toContain(rule);
});

test.each([
	"What changed?",
	"Who may approve this call?",
	"Is there a session with this id?",
	"The directory where the gateway started.",
	"A reader waits for no more than a minute.",
	"The approval expires after an hour.",
	"`what` is the name of the field.",
	'The model asks "What changed since nobody answered?" first.',
	"`id` stands for the id of the session.",
	"There is no session with this id.",
	"The client can no longer answer the question.",
	"See https://example.com/what/nobody/tells-of/anew for the limits.",
	`It allows ${"one, two, ".repeat(5)}three values and reports the rest as an error of the client.`,
])("a plain sentence is not reported: %s", (text) => {
	expect(broken(text)).toEqual([]);
});
