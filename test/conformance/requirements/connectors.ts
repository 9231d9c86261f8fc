import { ozzie, type Requirement } from "../requirement.ts";

/** What is promised so that connectors can show conversations on a platform. */
export const connectorRequirements = {
	"run.named": ozzie(
		"our own: What became of a message",
		"`user.message` carries the `correlation_id` of its `send_message`, also while it waits, when it is replayed, and when it is retried.",
	),
	"run.ends": ozzie("our own: Messages that wait", "`assistant.message` names the run that it ends."),
	"run.cancel-one": ozzie(
		"our own: Messages that wait",
		"`cancel_turn` with `run_id` ends that run alone, at work or waiting; without such a run it is `idle`.",
	),
	"people.place": ozzie(
		"our own: People of chat platforms",
		"`whoami` tells a connector how the person's channel works: mention, sessions, agent.",
	),
	"grant.alone": ozzie(
		"our own: Trusted channels",
		"A connector that acts for nobody lists and revokes grants of its platform's tenants, and no others; the audit tells of it.",
	),
	"prompt.list": ozzie(
		"our own: Questions that wait",
		"`list_prompts` shows what waits, to each what they may see, and the whole of one question; observers get no tokens.",
	),
	"session.connector-back": ozzie(
		"ruling 12",
		"A connector comes back to its own sessions for nobody, and to no others.",
	),
	"ask.page": ozzie(
		"ruling 10; our own: A page for a password",
		"`secret_page` gives who may answer the address of a page without scripts that takes the password, once, as theirs.",
	),
	"ask.page-looked": ozzie(
		"our own: A page for a password",
		"To look at a page uses nothing up, and an answer that does not fit can be given again.",
	),
	"ask.page-over": ozzie(
		"our own: A page for a password",
		"A page that was used, is ten minutes old, or whose question is over, says so with 410.",
	),
	"ask.page-refused": ozzie(
		"ruling 10; our own: A page for a password",
		"No page takes what others can read, what another site sends, or what is no form; whoever guesses addresses is slowed down.",
	),
} satisfies Record<string, Requirement>;
