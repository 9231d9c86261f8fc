import { ozzie, type Requirement } from "../requirement.ts";

export const modelRequirements = {
	"model.call": ozzie(
		"document, internal.llm.call",
		"Every model call is told when it starts, in passing, and when it ends, with what it took; durations are whole nanoseconds.",
	),
	"model.answered": ozzie(
		"our own: Events",
		"The context of an answer names the model that gave it, and is empty where none did.",
	),
	"model.fallback": ozzie(
		"our own: Events",
		"When a model stays unable to answer, the next of the fallbacks does, and the answer names it.",
	),
	"model.list": ozzie(
		"our own: Models, agents and money",
		"`list_models` names the models that can be chosen, with limits and prices.",
	),
	"model.set": ozzie(
		"ruling 12",
		"`set_model` chooses the model of the session's next runs by name or tier and tells its real name; `default` undoes it.",
	),
	"model.unknown": ozzie(
		"our own: Models, agents and money",
		"A model that nobody knows is refused with `invalid params`, and changes nothing.",
	),
	"model.compacted": ozzie(
		"our own: Events",
		"When a conversation outgrows the model's window, older parts are made shorter for the model, and everybody is told.",
	),
	"model.compacted-without-summary": ozzie(
		"our own: Events",
		"If the model writes no summary after two calls, older parts are shortened without it, and `error` says why. The run goes on.",
		{ zot: "kept" },
	),

	"agent.list": ozzie(
		"our own: Models, agents and money",
		"`list_agents` names the agent profiles, and says what is wrong with those that cannot be used.",
	),
	"agent.profile": ozzie("ruling 12", "A session that names a profile is answered by that agent."),
	"agent.unknown": ozzie(
		"our own: Models, agents and money",
		"A profile that is not there is refused with `invalid params` and the names of those that are, and creates nothing.",
	),

	"usage.updated": ozzie(
		"ruling 12",
		"At the end of a run everybody is told what it and its session have used, in tokens and in dollars.",
	),
	"usage.report": ozzie(
		"ruling 12",
		"`usage` sums up what was used, by day, model or session, of all or of one session.",
	),
	"budget.reached": ozzie(
		"ruling 12",
		"`budget.reached` tells when 80 % of a budget are spent, and when all of it is.",
	),
	"budget.stop": ozzie(
		"our own: Events",
		"When a budget is spent no model is called, and the run's error says why.",
	),
	"budget.set": ozzie(
		"our own: Models, agents and money",
		"`set_budget` sets, lifts or gives back a budget at once and over restarts, of the gateway or of a session.",
	),
} satisfies Record<string, Requirement>;
