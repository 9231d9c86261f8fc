import { ozzie, type Requirement } from "../requirement.ts";

export const operatingRequirements = {
	"http.metrics": ozzie(
		"our own",
		"`GET /metrics` returns the metrics of the gateway to the operator, for Prometheus.",
	),
	"http.metrics-discreet": ozzie("our own", "No metric has a label with an id or user text."),
	"message.correlation": ozzie(
		"our own",
		"The `correlation_id` of a message is in every log line about it, up to the provider's id of a model call.",
	),
} satisfies Record<string, Requirement>;
