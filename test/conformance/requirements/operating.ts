import { ozzie, type Requirement } from "../requirement.ts";

export const operatingRequirements = {
	"http.metrics": ozzie(
		"our own",
		"`GET /metrics` tells the operator the gateway's figures, for Prometheus.",
	),
	"http.metrics-discreet": ozzie(
		"our own",
		"No figure has a label with an id, or with anything that was said.",
	),
	"message.correlation": ozzie(
		"our own",
		"`correlation_id` of a message stands in every log line about it, down to the provider's own id of a model call.",
	),
} satisfies Record<string, Requirement>;
