import { ozzie, type Requirement } from "../requirement.ts";

export const connectorRequirements = {
	"run.named": ozzie(
		"our own: Explain a run",
		"`user.message` has the `correlation_id` of its `send_message`, also while it waits, on replay and on retry.",
	),
	"run.ends": ozzie("our own: Queued messages", "`assistant.message` names the run that it ends."),
	"run.cancel-one": ozzie(
		"our own: Queued messages",
		"`cancel_turn` with `run_id` ends only that run, active or queued; without such a run it is `idle`.",
	),
	"people.channel": ozzie(
		"our own: People of chat platforms",
		"`whoami` returns the channel settings to a connector: mention, sessions and agent.",
	),
	"grant.alone": ozzie(
		"our own: Trusted channels",
		"A connector without an actor can list and revoke grants of its tenants only. The audit records it.",
	),
	"prompt.list": ozzie(
		"our own: List open questions",
		"`list_prompts` returns the open questions that the caller may see, and one complete question on request. Observers receive no tokens.",
	),
	"session.connector-back": ozzie(
		"ruling 12",
		"A connector without an actor can resume its own sessions, and no others.",
	),
	"ask.page": ozzie(
		"ruling 10; our own: A page for a password",
		"`secret_page` returns a page without scripts to a person who may answer. The page accepts the password once, as that person.",
	),
	"ask.page-looked": ozzie(
		"our own: A page for a password",
		"Viewing a page does not consume it, and an invalid answer can be repeated.",
	),
	"ask.page-over": ozzie(
		"our own: A page for a password",
		"A page that was used, is ten minutes old, or whose question is closed answers 410.",
	),
	"ask.page-refused": ozzie(
		"ruling 10; our own: A page for a password",
		"A page refuses readable connections, cross-site posts and bodies that are not forms. Guessed addresses are rate limited.",
	),
} satisfies Record<string, Requirement>;
