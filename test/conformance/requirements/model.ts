import { ozzie, type Requirement } from "../requirement.ts";

export const modelRequirements = {
	"model.call": ozzie(
		"document, internal.llm.call",
		"Every model call is a transient event at its start and a recorded event with its usage at its end. Durations are whole nanoseconds.",
	),
	"model.answered": ozzie(
		"our own: Events",
		"The context of an answer names its model, and is empty if no model answered.",
	),
	"model.fallback": ozzie(
		"our own: Events",
		"If a model remains unavailable, the next fallback answers, and the answer names it.",
	),
	"model.list": ozzie(
		"our own: Models, agents and cost",
		"`list_models` returns the available models with limits and prices.",
	),
	"model.set": ozzie(
		"ruling 12",
		"`set_model` sets the model of the session's next runs by name or tier and returns its real name. `default` resets it.",
	),
	"model.unknown": ozzie(
		"our own: Models, agents and cost",
		"An unknown model is refused with `invalid params` and changes nothing.",
	),
	"model.compacted": ozzie(
		"our own: Events",
		"If a session exceeds the model's window, older parts are shortened for the model, and an event reports it.",
	),
	"model.compacted-without-summary": ozzie(
		"our own: Events",
		"If the model writes no summary in two calls, older parts are shortened without one, and `error` has the reason. The run continues.",
		{ zot: "kept" },
	),

	"agent.list": ozzie(
		"our own: Models, agents and cost",
		"`list_agents` returns the agent profiles, with the error of each unusable one.",
	),
	"agent.profile": ozzie("ruling 12", "A session that names a profile uses that agent."),
	"agent.unknown": ozzie(
		"our own: Models, agents and cost",
		"An unknown profile is refused with `invalid params` and the existing names, and creates nothing.",
	),

	"usage.updated": ozzie(
		"ruling 12",
		"At the end of a run an event has the usage of the run and its session in tokens and dollars.",
	),
	"usage.report": ozzie(
		"ruling 12",
		"`usage` returns totals by day, model or session, for all sessions or one.",
	),
	"budget.reached": ozzie("ruling 12", "`budget.reached` is sent at 80 % of a budget and at its end."),
	"budget.stop": ozzie(
		"our own: Events",
		"After a budget is spent no model is called, and the error of the run has the reason.",
	),
	"budget.set": ozzie(
		"our own: Models, agents and cost",
		"`set_budget` sets, removes or restores a budget of the gateway or a session, immediately and across restarts.",
	),
} satisfies Record<string, Requirement>;
